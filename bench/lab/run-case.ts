// Plays one case of the lab through the real driver on the virtual clock, and takes down what happened.

import { perform, startOperation } from '../../clients/driver.ts';
import type { Decision, Operation } from '../../clients/policy.ts';
import type { Clock, Reply, Transport } from '../../clients/ports.ts';
import type { ToldWait } from '../../clients/retry-after/told-wait.ts';
import { buildPolicies, type PolicySettings } from '../../clients/strategies/build-policies.ts';
import { CATALOGUE } from '../../clients/strategies/catalogue.ts';
import { Tally } from '../../clients/tally.ts';
import { READING, Task, type TaskObserver } from '../../clients/task.ts';
import { NoReplyError } from '../../platform-sim/no-reply.ts';
import { RETRY_AFTER_HEADER } from '../../platform-sim/wire.ts';
import { SimulatedClock } from '../clocks/simulated-clock.ts';
import type { GivenReply, LabCase } from './cases.ts';

/** The calendar of seed 000 at elapsed time 0. */
const EPOCH_MS = Date.UTC(2024, 0, 1, 12);
const LIMIT_MS = 3_600_000;

/** One line of a timeline. */
export interface LabEvent {
  readonly atS: number;
  readonly event: string;
  readonly decision: string;
  readonly reason: string;
}

export interface LabRun {
  readonly events: readonly LabEvent[];
  readonly outcome: string;
  /** Status of the last reply, kept apart from the outcome; undefined when none came. */
  readonly lastStatus: number | undefined;
  readonly told: ToldWait | undefined;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly startsS: readonly number[];
  readonly endS: number;
  readonly requestS: number;
  readonly leftS: number;
  /** Why the first reply's header was not read. */
  readonly unreadable: string | undefined;
}

export async function runCase(lab: LabCase): Promise<LabRun> {
  const clock = new SimulatedClock(EPOCH_MS, LIMIT_MS);
  const events: LabEvent[] = [];
  const startsMs: number[] = [];
  const tolds: ToldWait[] = [];
  let requestMs = 0;
  let last: Reply | undefined;
  let leftMs = budgetMs(lab);
  const note = (atMs: number, event: string, decision: Decision) => {
    const what =
      decision.kind === 'retry' ? `wait ${decision.waitMs / 1000} s` : decision.reason === 'done' ? 'done' : 'stop';
    events.push({
      atS: atMs / 1000,
      event,
      decision: what,
      reason: decision.kind === 'retry' ? decision.because : decision.reason,
    });
  };
  const observer: TaskObserver = {
    attempt(_ordinal, { attempt, sentMs, receivedMs, reply, told }, decision, left) {
      startsMs.push(sentMs);
      requestMs += receivedMs - sentMs;
      last = reply ?? last;
      tolds.push(told);
      leftMs = left.deadline_ms ?? leftMs;
      const header = reply?.headers[RETRY_AFTER_HEADER];
      const answer =
        reply === undefined
          ? 'given up, no reply'
          : `${reply.status}${header === undefined ? '' : `, Retry-After: ${header}`}`;
      note(receivedMs, `attempt ${attempt}, sent at ${sentMs / 1000}: ${answer}`, decision);
    },
    refused(operation: Operation, nowMs, decision, left) {
      leftMs = left.deadline_ms ?? leftMs;
      note(nowMs, `attempt ${operation.attempts + 1} would start`, decision);
    },
  };
  const policies = policiesOf(lab);
  const settings = { client: 'lab', items: 1, prepMs: 0, ...READING };
  const ports = { clock: clockOf(lab, clock), transport: scripted(clock, lab.given) };
  const task = new Task(settings, ports, buildPolicies(policies, 1), new Tally(), observer);
  const { cancelAtS } = lab;
  if (cancelAtS !== undefined) clock.schedule(cancelAtS * 1000, () => task.cancel(), undefined);
  const stop = await clock.run(() => perform(task, startOperation(task, 1, 1)));
  const [first] = tolds;
  return {
    events,
    outcome: stop.reason,
    lastStatus: last?.status,
    told: tolds.at(-1),
    attempts: startsMs.length,
    maxAttempts: attemptsOf(policies),
    startsS: startsMs.map((ms) => ms / 1000),
    endS: clock.nowMs() / 1000,
    requestS: requestMs / 1000,
    leftS: leftMs / 1000,
    unreadable: first?.kind === 'invalid' ? first.reason : undefined,
  };
}

/** What is not as the document says; empty when all is. */
export function differences(lab: LabCase, run: LabRun): string[] {
  const { expect } = lab;
  const found: Readonly<Record<keyof LabCase['expect'], unknown>> = { ...run, waitS: run.endS - run.requestS };
  return Object.entries(expect).flatMap(([name, expected]) => {
    const actual = found[name as keyof typeof found];
    return JSON.stringify(actual) === JSON.stringify(expected)
      ? []
      : [`${name}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
  });
}

/** Strategies of the catalogue; seed 002 leaves the backoff open, and its example waits two seconds. */
function policiesOf({ source }: LabCase): readonly PolicySettings[] {
  const name = source === 'seed 000' ? 'bounded-read' : 'deadline';
  const policies = CATALOGUE[name]?.settings.policies ?? [];
  return policies.map((each) =>
    each.policy === 'jittered_backoff' ? { policy: 'fixed_backoff', waitMs: 2000 } : each,
  );
}

function attemptsOf(policies: readonly PolicySettings[]): number {
  const cap = policies.find((each) => each.policy === 'attempt_cap');
  return cap?.policy === 'attempt_cap' ? cap.attempts : Number.POSITIVE_INFINITY;
}

function budgetMs(lab: LabCase): number {
  const found = policiesOf(lab).find((each) => each.policy === 'deadline');
  return found?.policy === 'deadline' ? found.budgetMs : 0;
}

function clockOf({ clockUntrusted, wakesLateByS = 0 }: LabCase, clock: SimulatedClock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    dateMs: () => (clockUntrusted === true ? undefined : clock.dateMs()),
    after: (ms, run) => clock.after(ms + wakesLateByS * 1000, run),
    sleep: (ms, signal) => clock.sleep(ms === 0 ? 0 : ms + wakesLateByS * 1000, signal),
  };
}

/** Answers with the given replies, one after the other. */
function scripted(clock: SimulatedClock, given: readonly GivenReply[]): Transport {
  let next = 0;
  return {
    async send(_request, signal) {
      const [tookS, status, retryAfter] = given[next++] ?? [0, 200, null];
      await clock.sleep(tookS * 1000, signal);
      if (signal?.aborted === true) throw new NoReplyError('cancelled');
      return { status, headers: retryAfter === null ? {} : { [RETRY_AFTER_HEADER]: retryAfter }, body: '' };
    },
  };
}
