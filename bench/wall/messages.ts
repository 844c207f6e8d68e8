// What the threads of a night on real time say to one another. A pair of threads runs one night: a platform and its client.

import type { ClientBook, PlatformBook } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { WorkerHealth } from './worker-health.ts';

/** What a thread is started with. */
export interface WallJob {
  readonly scenario: Scenario;
  readonly strategy: string;
  readonly seed: number;
  readonly speed: number;
  /** File for its records by request. */
  readonly records: string;
  /** Folder for the client's own logs. */
  readonly folder: string;
  /** Counts for the screen, see live-counts.ts. */
  readonly live: SharedArrayBuffer;
}

export type Order =
  /** Both threads are loaded: scenario time begins. The client is told where its platform listens. */
  | { readonly kind: 'start'; readonly originMs: number; readonly url?: string }
  /** To a client: send nothing any more, wait for what is under way, at most so long in real time. */
  | { readonly kind: 'drain'; readonly limitMs: number }
  /** To a platform: its client has ended. */
  | { readonly kind: 'stop' };

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'platform'; readonly book: PlatformBook; readonly health: WorkerHealth }
  | { readonly kind: 'client'; readonly book: ClientBook; readonly health: WorkerHealth }
  | { readonly kind: 'error'; readonly code: string | undefined; readonly message: string };
