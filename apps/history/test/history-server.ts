import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a local port that can be shut, to see what happens while the other side is away. */
export interface Door {
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  close(): Promise<void>;
  /** Lets connections through again, at the same port. */
  open(): Promise<void>;
}

/** Opens a door to a port of this machine. */
export async function openDoor(target: number): Promise<Door> {
  const sockets = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connect(target, '127.0.0.1');
    for (const [socket, other] of [[inner, outer] as const, [outer, inner] as const]) {
      sockets.add(socket);
      socket
        .on('error', () => other.destroy())
        .on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
    }
    inner.pipe(outer).pipe(inner);
  });
  const open = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await open(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    open: () => open(port),
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      sockets.forEach((socket) => socket.destroy());
      await closed;
    },
  };
}
