// The platform's bad night: a share of the requests that reach the backend is answered 500.

import type { Stream } from '../draws.ts';
import type { Gate } from '../types.ts';

export interface FaultSettings {
  /** Share of the requests that reach this gate and fail, 0 to 1. */
  readonly rate: number;
}

export function fault(settings: FaultSettings, draw: Stream): Gate {
  return {
    name: 'fault',
    examine: ({ key, ordinal }) =>
      draw(key, ordinal) < settings.rate ? { verdictClass: 'error500', status: 500 } : undefined,
  };
}
