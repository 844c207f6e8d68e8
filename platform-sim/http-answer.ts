// One request over HTTP that was read whole: decided, its latency waited out, and its reply written or counted as unheard. What
// the server of lockstep and the one for other programs have in common.

import type { ServerResponse } from 'node:http';
import type { Platform } from './platform.ts';
import type { PlatformRequest, Verdict } from './types.ts';
import type { ReplyEncoder, WireReply } from './wire.ts';

/** Waits out the latency of a reply. Called when a request was read whole: from then on no byte of it is under way. */
export interface ReplySchedule {
  nowMs(): number;
  /** Calls `send` in `delayMs`, or `drop` as soon as it is known that nobody waits for the reply any more. */
  reply(delayMs: number, send: () => void, drop: () => void): void;
}

export interface AnswerPorts {
  readonly platform: Platform;
  readonly encoder: ReplyEncoder;
  readonly schedule: ReplySchedule;
}

export interface AnswerHooks {
  /** Told of the verdict before the reply is scheduled. */
  readonly decided?: (verdict: Verdict, nowMs: number) => void;
  /** Told once how it ended: the reply, right before it is handed over, or undefined when it reached nobody. */
  readonly ended?: (reply: WireReply | undefined) => void;
  /** Body of a success instead of the platform's own. */
  readonly successBody?: string | undefined;
}

export function answer(
  { platform, encoder, schedule }: AnswerPorts,
  request: PlatformRequest,
  response: ServerResponse,
  { decided, ended, successBody }: AnswerHooks,
): void {
  const nowMs = schedule.nowMs();
  const verdict = platform.decide(request, nowMs);
  decided?.(verdict, nowMs);
  const reply = encoder.encode(verdict);
  let over = false;
  const drop = () => {
    if (over) return;
    over = true;
    platform.meter.countUnheard(nowMs, verdict);
    ended?.(undefined);
  };
  const send = () => {
    if (over) return;
    // On real time a client may have gone without a word; in lockstep the schedule has dropped the reply by then.
    if (response.destroyed || verdict.lost) {
      drop();
      // Cut within the status line: a kept connection that closes in silence is one that a client may take for stale.
      response.socket?.end('HTTP/1.1 ').destroySoon();
      return;
    }
    over = true;
    // Before, since afterwards the client may know already what we have not written down.
    ended?.(reply);
    const body = verdict.verdictClass === 'ok' && successBody !== undefined ? successBody : reply.body;
    response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  schedule.reply(verdict.latencyMs, send, drop);
}
