// Whether any byte is on its way between the client and the platform, both of which live in this thread: what one side wrote
// the other has read, and a side that closed is closed on the other. Sees every socket that the thread opens, and says which
// of them go elsewhere.

import { type AddressInfo, type Server, Socket } from 'node:net';

/** Both ends of one connection, by the port of the client's end. */
interface Link {
  client: Socket | undefined;
  clientClosed: boolean;
  server: Socket | undefined;
  serverClosed: boolean;
}

interface Target {
  host?: string | undefined;
  port?: number | string | undefined;
  /** Of a pipe; an HTTP agent says null. */
  path?: string | null | undefined;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1', '']);

export class SocketWatch {
  readonly #links = new Map<number, Link>();
  /** Sockets that have no port yet. */
  readonly #connecting = new Set<Socket>();
  readonly #names: ReadonlySet<string>;
  #port = 0;
  #changes = 0;
  /** The first target that is not the platform. */
  elsewhere: string | undefined;

  /** @param names hosts (`name` or `name:port`) under which the client calls the platform */
  constructor(names: readonly string[]) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
  }

  /** Watches the platform's end. */
  serve(server: Server): void {
    this.#port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      // The client's end says whether the process goes on.
      socket.unref();
      const port = socket.remotePort ?? 0;
      const link = this.#link(port);
      link.server = socket;
      socket.once('close', () => {
        link.serverClosed = true;
        // A client that left while it was connecting never had a port that could be seen.
        link.clientClosed ||= link.client === undefined;
        this.#drop(port, link);
      });
    });
  }

  /** Watches the client's ends from now on: every socket that is connected in this thread. */
  install(): void {
    const watch = this;
    const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
    Socket.prototype.connect = function connectWatched(this: Socket, ...args: unknown[]): Socket {
      return watch.#allow(this, targetOf(args)) ? connect.apply(this, args) : this;
    } as Socket['connect'];
  }

  #allow(socket: Socket, target: Target): boolean {
    const host = (target.host ?? '').toLowerCase();
    const port = Number(target.port);
    const ours = LOOPBACK.has(host) && port === this.#port;
    const named = this.#names.has(host) || this.#names.has(`${host}:${port}`);
    if ((!ours && !named) || typeof target.path === 'string' || 'encrypted' in socket) {
      const where = target.path ?? `${host}:${target.port ?? ''}`;
      this.elsewhere ??= 'encrypted' in socket ? `${where} (TLS)` : where;
      const refused: Error & { code?: string } = new Error(`connect ECONNREFUSED ${where}: not the simulated platform`);
      refused.code = 'ECONNREFUSED';
      process.nextTick(() => socket.destroy(refused));
      return false;
    }
    // Also for our own name: looking up a name is done on a thread of its own.
    target.host = '127.0.0.1';
    target.port = this.#port;
    this.#watchClient(socket);
    return true;
  }

  #watchClient(socket: Socket): void {
    this.#connecting.add(socket);
    socket.once('connect', () => {
      this.#connecting.delete(socket);
      this.#changes++;
      const port = socket.localPort ?? 0;
      const link = this.#link(port);
      link.client = socket;
      socket.once('close', () => {
        link.clientClosed = true;
        this.#drop(port, link);
      });
    });
    socket.once('close', () => {
      this.#changes++;
      this.#connecting.delete(socket);
    });
  }

  #link(port: number): Link {
    let link = this.#links.get(port);
    // A port may come again when both ends of its last connection are closed.
    if (link === undefined) {
      link = { client: undefined, clientClosed: false, server: undefined, serverClosed: false };
      this.#links.set(port, link);
    }
    return link;
  }

  #drop(port: number, link: Link): void {
    this.#changes++;
    if (link.clientClosed && link.serverClosed && this.#links.get(port) === link) this.#links.delete(port);
  }

  /** The client's end of the connection whose platform end has this remote port. */
  clientOf(port: number): Socket | undefined {
    return this.#links.get(port)?.client;
  }

  /** A number that differs when a byte has moved since; undefined while one is under way. */
  stillness(): number | undefined {
    if (this.#connecting.size > 0) return undefined;
    let moved = this.#changes;
    for (const link of this.#links.values()) {
      const { client, server } = link;
      if (client === undefined || server === undefined) return undefined;
      if (link.clientClosed !== link.serverClosed) return undefined;
      const sent = client.bytesWritten;
      const answered = server.bytesWritten;
      if (sent !== server.bytesRead || answered !== client.bytesRead) return undefined;
      moved += sent + answered;
    }
    return moved;
  }

  underWay(): string {
    const waiting = [...this.#connecting].map(() => 'a connection that is not made');
    for (const [port, { client, server }] of this.#links) {
      if (client === undefined || server === undefined) waiting.push(`half a connection on port ${port}`);
      else if (client.bytesWritten !== server.bytesRead || server.bytesWritten !== client.bytesRead)
        waiting.push(
          `${client.bytesWritten - server.bytesRead} bytes to the platform and ${server.bytesWritten - client.bytesRead} from it`,
        );
    }
    return waiting.slice(0, 3).join(', ');
  }
}

/** The object with host and port in the arguments of Socket.connect, made when there is none, so that it can be changed. */
function targetOf(args: unknown[]): Target {
  const [first, second] = args;
  // net.connect normalises its arguments to a list of its own.
  if (Array.isArray(first)) {
    first[0] = { ...(first[0] as Target) };
    return first[0] as Target;
  }
  const target: Target =
    typeof first === 'object' && first !== null
      ? { ...first }
      : typeof first === 'string' && Number.isNaN(Number(first))
        ? { path: first }
        : { port: Number(first), host: typeof second === 'string' ? second : 'localhost' };
  args.splice(0, typeof second === 'string' && typeof first !== 'object' ? 2 : 1, target);
  return target;
}
