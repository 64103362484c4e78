import { connect, type Socket } from 'node:net';

/** A TCP connection, for what no HTTP client sends. It leaves its own side open until it is destroyed. */
export class RawConnection {
  received = '';
  /** Resolves with everything that was received, once the other side has closed the connection or reset it. */
  readonly ended: Promise<string>;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString()));
    this.ended = new Promise((resolve, reject) => {
      for (const event of ['end', 'close']) socket.once(event, () => resolve(this.received));
      socket.setTimeout(10_000, () => reject(new Error(`no end of the answer: ${this.received}`)));
    });
    this.ended.catch(() => undefined);
    socket.on('error', () => undefined); // "close" follows
  }

  /** @param localAddress address that the other side sees; 127.0.0.1 when omitted */
  static open(url: string, localAddress?: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress, allowHalfOpen: true }, () =>
        resolve(new RawConnection(socket)),
      );
      socket.once('error', reject);
    });
  }

  send(bytes: string): this {
    this.socket.write(bytes);
    return this;
  }
}

/** Sends bytes and answers what came back until the other side closed. */
export async function exchange(url: string, bytes: string): Promise<string> {
  const connection = await RawConnection.open(url);
  const text = await connection.send(bytes).ended;
  connection.socket.destroy();
  return text;
}

/** The head and the body of an answer. */
export function parted(text: string): { status: number; headers: Record<string, string>; body: string } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.replace(/^[^:]*: */, '')]);
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), body };
}
