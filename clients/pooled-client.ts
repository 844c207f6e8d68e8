// One connection of the pool, which knows whether it has brought a reply before: only a connection that was kept open can
// have been closed by the server without our knowing (case A23). Undici tells neither that nor who serves a request.

import { Client, type Dispatcher } from 'undici';

/** A request that wants to know which connection it goes over. */
export interface TracedOptions extends Dispatcher.DispatchOptions {
  readonly exchange: { assigned(client: PooledClient, options: TracedOptions): void };
}

export class PooledClient extends Client {
  /** Whether the connection that stands now has brought a whole reply. */
  reused = false;

  constructor(origin: URL, options: Client.Options) {
    super(origin, options);
    const renewed = () => {
      this.reused = false;
    };
    this.on('connect', renewed).on('disconnect', renewed);
  }

  override dispatch(options: TracedOptions, handler: Dispatcher.DispatchHandler): boolean {
    options.exchange.assigned(this, options);
    return super.dispatch(options, handler);
  }
}
