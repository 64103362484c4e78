// Whether a service says SERVING at its health port (gRPC without TLS), by Node alone: exits with 0 when it does.
import { connect } from 'node:http2';

const WITHIN_MS = 3_000;
const SERVING = 1;

const session = connect(`http://${process.argv[2] ?? '127.0.0.1:50052'}`);
const leave = (code) => process.exit(code);
session.once('error', () => leave(1));
setTimeout(() => leave(1), WITHIN_MS);

const call = session.request({
  ':method': 'POST',
  ':path': '/grpc.health.v1.Health/Check',
  'content-type': 'application/grpc',
  te: 'trailers',
});
const chunks = [];
call.on('data', (chunk) => chunks.push(chunk));
call.once('error', () => leave(1));
// A frame of five bytes, then a message whose first field is the status: 08 01.
call.once('end', () => {
  const frame = Buffer.concat(chunks);
  leave(frame[5] === 0x08 && frame[6] === SERVING ? 0 : 1);
});
// An empty message asks about the whole server.
call.end(Buffer.alloc(5));
