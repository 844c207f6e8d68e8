// The one driver of all strategies: prepare, ask for admission, send, ask what to do, until the operation ends. Policies
// decide, the scheduler says whether a wait keeps its slot of the concurrency limit.

import { classify } from './classify.ts';
import type { AttemptResult, Decision, Operation, Stop } from './policy.ts';
import type { OutboundRequest, Reply } from './ports.ts';
import type { Task } from './task.ts';

const DONE: Stop = { kind: 'stop', reason: 'done', scope: 'operation' };

export function startOperation(task: Task, item: number, pass: number): Operation {
  return {
    item,
    pass,
    startedMs: task.clock.nowMs(),
    method: 'GET',
    idempotencyKey: undefined,
    attempts: 0,
    ordinal: 0,
    sentMs: 0,
    previousWaitMs: 0,
  };
}

/** Runs an operation to its end, waiting in between. */
export async function perform(task: Task, operation: Operation): Promise<Stop> {
  for (;;) {
    // The same steps as turn(), written out: a night has tens of thousands of them, and a promise each is a third of it.
    await task.clock.sleep(task.settings.prepMs);
    const decision =
      admit(task, operation) ?? conclude(task, operation, await task.transport.send(open(task, operation)));
    if (decision.kind === 'stop') return decision;
    operation.previousWaitMs = decision.waitMs;
    if (decision.waitMs > 0) await task.wait(decision.waitMs, decision.because);
  }
}

/** One turn of an operation: at most one attempt. Returns what is to happen next; waits for nothing but the reply. */
export async function turn(task: Task, operation: Operation): Promise<Decision> {
  // Whoever queued for a slot while the task was stopped prepares nothing any more.
  if (task.stopReason !== undefined) return { kind: 'stop', reason: task.stopReason, scope: 'task' };
  await task.clock.sleep(task.settings.prepMs);
  const decision =
    admit(task, operation) ?? conclude(task, operation, await task.transport.send(open(task, operation)));
  if (decision.kind === 'retry') operation.previousWaitMs = decision.waitMs;
  return decision;
}

/** Undefined when the attempt may go; then it must be opened and sent without an await in between. */
function admit(task: Task, operation: Operation): Decision | undefined {
  if (task.stopReason !== undefined) return { kind: 'stop', reason: task.stopReason, scope: 'task' };
  const nowMs = task.clock.nowMs();
  const refusal = task.policies.admit(operation, nowMs);
  if (refusal === undefined) return undefined;
  task.observer?.refused(operation, nowMs, refusal);
  return applied(task, refusal);
}

/** Counts the attempt as sent. */
function open(task: Task, operation: Operation): OutboundRequest {
  operation.attempts++;
  operation.sentMs = task.clock.nowMs();
  operation.ordinal = ++task.ordinal;
  task.tally.sent(operation.sentMs);
  return { client: task.settings.client, ordinal: operation.ordinal, item: operation.item };
}

/** Books the reply and asks what to do about it. */
function conclude(task: Task, operation: Operation, reply: Reply): Decision {
  const replyClass = classify(reply);
  task.tally.received(operation.sentMs, replyClass);
  if (replyClass === 'ok') {
    task.done.add(operation.item);
    if (task.observer === undefined && !task.policies.settles) return DONE;
  }
  const result: AttemptResult = {
    operation,
    attempt: operation.attempts,
    sentMs: operation.sentMs,
    receivedMs: task.clock.nowMs(),
    dateMs: task.clock.dateMs(),
    replyClass,
    reply,
  };
  task.policies.settle(result);
  const decision = replyClass === 'ok' ? DONE : task.policies.decide(result);
  task.observer?.attempt(operation.ordinal, result, decision);
  return applied(task, decision);
}

function applied(task: Task, decision: Decision): Decision {
  if (decision.kind === 'stop' && decision.scope === 'task') task.stop(decision.reason);
  return decision;
}
