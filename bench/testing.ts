// For tests: a storm in small, and the command line as a user runs it, in a folder of its own.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { digest, filesBelow, MANIFEST } from './results-folder/manifest.ts';
import { loadScenario, parseScenario, presetPath } from './scenario/load.ts';
import type { Scenario } from './scenario/scenario.ts';
import { SourceFile } from './scenario/source-file.ts';

/** The project's own folder; tests run from dist. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A preset's text with values changed, by path. */
export function changedPreset(preset: string, changes: Readonly<Record<string, unknown>>): string {
  const document = parseDocument(loadScenario(presetPath(preset) ?? preset).text);
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('.').map((key) => (/^[0-9]+$/.test(key) ? Number(key) : key));
    document.setIn(keys, document.createNode(value, { aliasDuplicateObjects: false }));
  }
  return String(document);
}

/** The storm night at a tenth: 900 items, and a quota that the naive client burns. */
export const SMALL = { 'task.items': 900, 'platform.gates.2.calls': 2000 } as const;

export function smallStorm(changes: Readonly<Record<string, unknown>> = {}): Scenario {
  return parseScenario(SourceFile.parse('small.yaml', changedPreset('storm-night', { ...SMALL, ...changes }))).scenario;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `storm` with `cwd` as its folder. */
export function storm(cwd: string, ...args: readonly string[]): Ended {
  const env = { ...process.env, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/storm.mjs'), ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

/** A temporary folder that is gone after the test. */
export function temporaryFolder(test: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'storm-test-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes the digests anew, as somebody would who covers a change up. */
export function coverUp(folder: string): void {
  const path = join(folder, MANIFEST);
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { sha256: Record<string, string> };
  const files = filesBelow(folder).filter((file) => file !== MANIFEST);
  manifest.sha256 = Object.fromEntries(files.map((file) => [file, digest(join(folder, file))]));
  writeFileSync(path, JSON.stringify(manifest));
}
