// The results folder of a driven program: laid out as that of `storm run`, with the program as its one client.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { summarise } from '../books/summary.ts';
import { quoted, writeManifest } from '../results-folder/manifest.ts';
import { foreignSummary } from '../run/client-nights.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { RecordedForeignNight } from './record-foreign.ts';

export interface DrivenNight {
  readonly scenario: Scenario;
  readonly scenarioText: string;
  readonly seed: number;
  readonly client: string;
  readonly hosts: readonly string[];
  readonly urlVariable: string;
  readonly maxCalls: number;
  readonly program: readonly string[];
  readonly night: RecordedForeignNight;
}

/** Writes all that is not in the folder of the client yet. */
export function writeDriven(draft: string, driven: DrivenNight): void {
  const { scenario, scenarioText, seed, client, night } = driven;
  writeFileSync(join(draft, 'scenario.yaml'), scenarioText, { flag: 'wx' });
  const head = { scenario: scenario.name, scenario_hash: scenario.hash, seed, clock: 'lockstep', nights: 1 };
  const summary = { ...head, strategies: [{ ...summarise(night.night), ...foreignSummary(night) }] };
  writeFileSync(join(draft, 'summary.json'), `${JSON.stringify(summary, undefined, 2)}\n`, { flag: 'wx' });
  writeManifest(draft, { command: driveCommand(driven), ...head, strategies: [client], driven: true });
}

const SECRET = /(token|key|secret|passw|auth|credential)/i;

/** The command as it is written down: values of options and variables that sound secret are not. */
export function masked(program: readonly string[]): string[] {
  return program.map((word, index) => {
    const [, name] = /^([^=]+)=/.exec(word) ?? [];
    if (name !== undefined && SECRET.test(name)) return `${name}=***`;
    const before = program[index - 1] ?? '';
    return before.startsWith('-') && !before.includes('=') && SECRET.test(before) && !word.startsWith('-')
      ? '***'
      : word;
  });
}

function driveCommand({ client, seed, hosts, urlVariable, maxCalls, program }: DrivenNight): string {
  const named = hosts.map((host) => ` --host ${host}`).join('');
  const options = `--scenario scenario.yaml --seed ${seed} --name ${client} --url-variable ${urlVariable}${named}`;
  return `storm drive ${options} --max-calls ${maxCalls} -- ${masked(program).map(quoted).join(' ')}`;
}
