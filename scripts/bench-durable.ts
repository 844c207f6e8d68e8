// What a durable call costs: transactions a second of the state file, for both settings of sync, on this machine's disk.
//   npm run bench:durable

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateFile, SYNCS } from '../bench/durable/state-file.ts';

const FOR_MS = 3000;
const folder = mkdtempSync(join(tmpdir(), 'storm-durable-'));
const times = { begunMs: 0, firstSentMs: 0, sentMs: 0, previousWaitMs: 0 };
const result = { receivedMs: 1, status: 200, replyClass: 'ok', waitMs: null, because: 'done', inDoubt: false } as const;
try {
  for (const sync of SYNCS) {
    const state = StateFile.open(join(folder, sync), sync, '{}');
    state.beginLife();
    const from = performance.now();
    let calls = 0;
    while (performance.now() - from < FOR_MS) {
      calls++;
      state.reserve({ ordinal: calls, item: calls, attempt: 1, ...times });
      state.settle(calls, result, { item: calls, reason: 'done' });
    }
    const perS = Math.round((calls * 1000) / (performance.now() - from));
    process.stdout.write(
      `sync ${sync.padEnd(6)}  ${perS.toLocaleString('en-US').padStart(8)} calls a second, reserved and recorded\n`,
    );
    state.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
