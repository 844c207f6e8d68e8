// The one driver of all strategies: prepare, ask for admission, send, ask what to do, until the operation ends. Policies
// decide, the scheduler says whether a wait keeps its slot of the concurrency limit.

import { type NoReplyCause, NoReplyError } from '../platform-sim/no-reply.ts';
import { classify, classifyNoReply, namesNoLimit } from './classify.ts';
import type { OpenItem } from './durable/earlier-lives.ts';
import { hostOf } from './hosts.ts';
import { leavesDoubt, outcomeOf } from './outcome.ts';
import type { AttemptResult, Decision, Operation, ReplyClass, Stop } from './policy.ts';
import type { OutboundRequest, Reply } from './ports.ts';
import type { Task } from './task.ts';

const DONE: Stop = { kind: 'stop', reason: 'done', scope: 'operation' };

export function startOperation(task: Task, item: number, pass: number): Operation {
  task.tally.operations++;
  const { method, idempotencyKeys, client, hosts } = task.settings;
  return {
    client,
    item,
    host: hostOf(hosts, item),
    pass,
    startedMs: task.clock.nowMs(),
    method,
    idempotencyKey: idempotencyKeys ? `${client}-${pass}-${item}` : undefined,
    attempts: 0,
    ordinal: 0,
    sentMs: 0,
    firstSentMs: undefined,
    previousWaitMs: 0,
    last: undefined,
    inDoubt: false,
  };
}

/** An operation as an earlier life of the task left it. */
export function reopenOperation(task: Task, item: number, left: OpenItem): Operation {
  const { attempts, ordinal, begunMs, firstSentMs, sentMs, previousWaitMs, last, inDoubt } = left;
  const restored = { attempts, ordinal, startedMs: begunMs, firstSentMs, sentMs, previousWaitMs, last, inDoubt };
  return { ...startOperation(task, item, 1), ...restored };
}

/** What is next for an operation that was reopened: what is left of its wait, or what follows a call without a result. */
export function nextOf(task: Task, operation: Operation, { due }: OpenItem): Decision {
  if (due === undefined) return interrupted(task, operation);
  return { kind: 'retry', waitMs: Math.max(0, due.atMs - task.clock.nowMs()), because: due.because };
}

/**
 * The process died between sending and recording: to the policies that is an attempt without a reply, after which a write
 * may not be repeated. No policy is told to settle it, since none of this life has admitted it.
 */
function interrupted(task: Task, operation: Operation): Decision {
  operation.last = 'no_reply';
  const receivedMs = task.clock.nowMs();
  const result: AttemptResult = {
    operation,
    attempt: operation.attempts,
    sentMs: operation.sentMs,
    receivedMs,
    replyClass: 'no_reply',
    reply: undefined,
    noReply: 'reset',
    told: task.told.read(undefined),
  };
  const decision = task.policies.decide(result);
  task.observer?.interrupted?.(result, decision, task.policies.budgetLeft(operation, receivedMs));
  if (decision.kind === 'retry') operation.previousWaitMs = decision.waitMs;
  return applied(task, operation, decision);
}

/** Runs an operation to its end, waiting in between. */
export async function perform(task: Task, operation: Operation): Promise<Stop> {
  if (task.cache?.get(requestOf(operation)) !== undefined) return answeredFromCache(task, operation);
  for (;;) {
    const late = tooLate(task, operation);
    if (late !== undefined) return late;
    // The same steps as turn(), written out: a night has tens of thousands of them, and a promise more each shows.
    await task.clock.sleep(task.settings.prepMs);
    let decision = admit(task, operation);
    if (decision === undefined) {
      let answer: Answer;
      try {
        answer = await send(task, operation);
      } catch (error) {
        answer = noReplyCause(error);
      }
      decision = conclude(task, operation, answer);
    }
    if (decision.kind === 'stop') return decision;
    operation.previousWaitMs = decision.waitMs;
    if (decision.waitMs > 0) await task.wait(decision.waitMs, decision.because);
  }
}

/** What makes two requests the same to a cache. */
const requestOf = ({ method, item }: Operation) => ({ method, item });

/** The first success answers later repeats (seed 003): no call, and a success. */
function answeredFromCache(task: Task, operation: Operation): Stop {
  task.done.add(operation.item);
  applied(task, operation, DONE);
  return DONE;
}

/** One turn of an operation: at most one attempt. Returns what is to happen next; waits for nothing but the reply. */
export async function turn(task: Task, operation: Operation): Promise<Decision> {
  if (task.cache?.get(requestOf(operation)) !== undefined) return answeredFromCache(task, operation);
  const late = tooLate(task, operation);
  if (late !== undefined) return late;
  // Whoever queued for a slot while the task was stopped prepares nothing any more.
  if (task.stopReason === undefined) await task.clock.sleep(task.settings.prepMs);
  let decision = admit(task, operation);
  if (decision === undefined) {
    const answer: Answer = await send(task, operation).catch(noReplyCause);
    decision = conclude(task, operation, answer);
  }
  if (decision.kind === 'retry') operation.previousWaitMs = decision.waitMs;
  return decision;
}

/** How an attempt ended: with a reply, or why without. */
type Answer = Reply | NoReplyCause;

/**
 * A stop when no attempt can start in time, whatever woke the operation: a wait may take longer than it was meant to, and
 * so may a queue. Then it is not even prepared.
 */
export function tooLate(task: Task, operation: Operation): Stop | undefined {
  if (operation.attempts === 0 || task.stopReason !== undefined) return undefined;
  const nowMs = task.clock.nowMs();
  const stop = task.policies.mayPrepare(operation, nowMs);
  if (stop === undefined) return undefined;
  task.observer?.refused(operation, nowMs, stop, task.policies.budgetLeft(operation, nowMs));
  applied(task, operation, stop);
  return stop;
}

/** An attempt without a reply has a result like any other; any other error is ours. */
function noReplyCause(error: unknown): NoReplyCause {
  if (!(error instanceof NoReplyError)) throw error;
  return error.why;
}

/** Undefined when the attempt may go; then it must be sent without an await in between. */
function admit(task: Task, operation: Operation): Decision | undefined {
  if (task.stopReason !== undefined) {
    return applied(task, operation, { kind: 'stop', reason: task.stopReason, scope: 'task' });
  }
  const nowMs = task.clock.nowMs();
  const refusal = task.policies.admit(operation, nowMs);
  if (refusal === undefined) return undefined;
  task.observer?.refused(operation, nowMs, refusal, task.policies.budgetLeft(operation, nowMs));
  return applied(task, operation, refusal);
}

/** Counts the attempt as sent and sends it, with a limit when a policy sets one. */
function send(task: Task, operation: Operation): Promise<Reply> {
  const sentMs = task.clock.nowMs();
  operation.attempts++;
  operation.sentMs = sentMs;
  operation.firstSentMs ??= sentMs;
  operation.ordinal = ++task.ordinal;
  // From here on the call is spent, whatever becomes of this process.
  task.journal?.reserve(operation);
  task.tally.sent(sentMs);
  if (task.notBefore.isEarly(operation.item, sentMs)) task.tally.earlyRetries++;
  // An operation is its own request: it does not change while the attempt is under way.
  if (!task.policies.limits) return task.transport.send(operation);
  const limitMs = task.policies.attemptLimitMs(operation, sentMs);
  return limitMs === undefined ? task.transport.send(operation) : sendWithin(task, operation, limitMs);
}

/** A reason of our own: the default one is an error with a stack trace, which costs more than the attempt. */
const OVER = 'over';

/** Gives up on the reply when the limit is over or the user cancels; no timer and no listener outlives the attempt. */
async function sendWithin(task: Task, request: OutboundRequest, limitMs: number): Promise<Reply> {
  const attempt = new AbortController();
  const giveUp = () => attempt.abort(OVER);
  task.cancelled.addEventListener('abort', giveUp, { once: true });
  // Sent before the timer is set: a reply that comes at the very end of the limit is in time.
  const sending = task.transport.send(request, attempt.signal);
  const stopTimer = task.clock.after(limitMs, giveUp);
  try {
    return await sending;
  } finally {
    stopTimer();
    task.cancelled.removeEventListener('abort', giveUp);
  }
}

/** Books the reply, or that there is none, and asks what to do about it. */
function conclude(task: Task, operation: Operation, answer: Answer): Decision {
  const replyClass = classOf(task, answer);
  const reply = typeof answer === 'string' ? undefined : answer;
  task.tally.received(operation.sentMs, replyClass);
  operation.last = replyClass;
  if (replyClass === 'ok') {
    task.done.add(operation.item);
    task.notBefore.clear(operation.item);
    if (reply !== undefined) task.cache?.put(requestOf(operation), reply);
    if (task.observer === undefined && !task.policies.settles) {
      task.tally.ended('success');
      task.policies.ended(operation);
      return DONE;
    }
  }
  operation.inDoubt = leavesDoubt(operation, replyClass, reply);
  const receivedMs = task.clock.nowMs();
  const told = task.told.read(reply);
  const result: AttemptResult = {
    operation,
    attempt: operation.attempts,
    sentMs: operation.sentMs,
    receivedMs,
    replyClass,
    reply,
    noReply: typeof answer === 'string' ? answer : undefined,
    told,
  };
  if (reply !== undefined) task.notBefore.hear(operation.item, told, receivedMs);
  task.policies.settle(result);
  const decision = replyClass === 'ok' ? DONE : (refusedBody(replyClass, reply) ?? task.policies.decide(result));
  task.observer?.attempt(operation.ordinal, result, decision, task.policies.budgetLeft(operation, receivedMs));
  return applied(task, operation, decision);
}

/**
 * A success that the task does not accept is none: `other`, whatever the status says. A 429 that names no limit and tells
 * no wait may be of either kind: it is read as the client is set, and counted.
 */
function classOf(task: Task, answer: Answer): ReplyClass {
  if (typeof answer === 'string') return classifyNoReply(answer);
  if (namesNoLimit(answer) && task.told.read(answer).kind === 'absent') {
    task.tally.unlabelledLimits++;
    return task.settings.unlabelledLimits === 'quota' ? 'quota429' : 'limit429';
  }
  const replyClass = classify(answer);
  return replyClass === 'ok' && task.accepts?.(answer) === false ? 'other' : replyClass;
}

function refusedBody(replyClass: ReplyClass, reply: Reply | undefined): Stop | undefined {
  if (replyClass !== 'other' || reply === undefined || classify(reply) !== 'ok') return undefined;
  return { kind: 'stop', reason: 'validation_failed', scope: 'operation' };
}

/** Carries out the part of a decision that is not waiting. */
function applied(task: Task, operation: Operation, decision: Decision): Decision {
  if (decision.kind === 'retry') return decision;
  task.tally.ended(outcomeOf(operation, decision));
  task.policies.ended(operation);
  if (decision.scope === 'task') task.stop(decision.reason);
  return decision;
}
