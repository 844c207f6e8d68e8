// From a scenario file, or the name of a preset, to a scenario.

import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { DEFAULT_HOST } from '../../platform-sim/wire.ts';
import { camel, fields, positiveMs } from './fields.ts';
import { platformSchema, taskSchema } from './platform-schema.ts';
import { resolveStrategy } from './resolve-strategy.ts';
import { type Scenario, seal, type TaskProfile } from './scenario.ts';
import { SourceFile } from './source-file.ts';
import { strategyName, strategySchema } from './strategy-schema.ts';

/** Strategies a scenario at most. */
const MAX_STRATEGIES = 100;

export const scenarioSchema = fields({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'small letters, digits and dashes' }),
  description: z.string().max(2000).default(''),
  epoch: z.iso.datetime({ error: 'a UTC time such as 2026-10-16T02:00:00Z' }),
  limits: fields({ scenario_time_s: positiveMs.max(2_000_000) }),
  platform: platformSchema,
  task: taskSchema,
  strategies: z
    .record(strategyName, strategySchema)
    .refine((all) => Object.keys(all).length >= 1 && Object.keys(all).length <= MAX_STRATEGIES, {
      error: `1 to ${MAX_STRATEGIES} strategies`,
    }),
  price: fields({
    per_call: z.number().min(0).max(1_000_000),
    currency: z.string().regex(/^[A-Z]{3}$/, { error: 'three capital letters, such as USD' }),
  }).optional(),
  fitted: z.array(z.string()).max(100).default([]),
});

/** JSON Schema of a scenario file, for editors. */
export function scenarioJsonSchema(): unknown {
  return { $id: 'retry-storm-bench/scenario', ...z.toJSONSchema(scenarioSchema, { io: 'input' }) };
}

export interface LoadedScenario {
  readonly scenario: Scenario;
  /** The file as it was read. */
  readonly text: string;
}

/**
 * @param pathOrPreset path of a YAML file, or the name of a preset; a file of that name comes first
 * @throws InputError
 */
export function loadScenario(pathOrPreset: string): LoadedScenario {
  const preset = presetPath(pathOrPreset);
  const isFile = statSync(pathOrPreset, { throwIfNoEntry: false })?.isFile() === true;
  const path = !isFile && preset !== undefined ? preset : pathOrPreset;
  return parseScenario(SourceFile.read(path));
}

export function parseScenario(file: SourceFile): LoadedScenario {
  const written = file.check(scenarioSchema, file.value);
  const { name, description, fitted } = written;
  written.platform.gates.forEach((gate, i) => {
    if (gate.gate === 'outage' && gate.from_s >= gate.to_s) {
      throw file.mistake(['platform', 'gates', i, 'to_s'], gate.to_s, `more than from_s, which is ${gate.from_s}`);
    }
  });
  fitted.forEach((path, i) => {
    if (!hasPath(file.value, path.split('.')))
      throw file.mistake(['fitted', i], path, 'the path of a value in this file');
  });
  const strategies = Object.fromEntries(
    Object.entries(written.strategies).map(([key, strategy]) => [key, resolveStrategy(file, key, strategy)]),
  );
  checkOutageHosts(file, written.platform.gates, strategies);
  const scenario = seal({
    name,
    description,
    limits: { scenarioTimeMs: written.limits.scenario_time_s * 1000 },
    profile: {
      epochMs: Date.parse(written.epoch),
      ...camel({ ...written.platform, gates: [] }),
      gates: written.platform.gates.map(toGate),
    },
    task: toTask(written.task),
    strategies,
    price: written.price === undefined ? undefined : camel(written.price),
    fitted,
  });
  return { scenario, text: file.text };
}

type GateFile = z.output<typeof platformSchema>['gates'][number];

/** An outage of a host that no strategy asks would be none, and nobody would be told. */
function checkOutageHosts(file: SourceFile, gates: readonly GateFile[], strategies: Scenario['strategies']): void {
  const asked = new Set(Object.values(strategies).flatMap(({ request }) => request.hosts ?? [DEFAULT_HOST]));
  gates.forEach((gate, i) => {
    if (gate.gate !== 'outage') return;
    gate.hosts?.forEach((host, j) => {
      if (!asked.has(host))
        throw file.mistake(['platform', 'gates', i, 'hosts', j], host, `asked by a strategy: ${[...asked].join(', ')}`);
    });
  });
}

/** A gate's settings as the platform takes them: windows in ms. */
function toGate(gate: GateFile): Scenario['profile']['gates'][number] {
  if (gate.gate !== 'outage') return camel(gate);
  const { from_s, to_s, ...rest } = gate;
  return { ...camel(rest), fromMs: from_s * 1000, toMs: to_s * 1000 };
}

/** Steps in ms; a calendar that does nothing out of the way is none, so that it does not count in the hash. */
function toTask({ calendar, ...rest }: z.output<typeof taskSchema>): TaskProfile {
  if (calendar === undefined || (calendar.trusted && calendar.steps.length === 0)) return camel(rest);
  const steps = calendar.steps.map(({ at_s, by_s }) => ({ atMs: at_s * 1000, byMs: by_s * 1000 }));
  return { ...camel(rest), calendar: { trusted: calendar.trusted, steps } };
}

function hasPath(value: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
  return hasPath((value as Record<string, unknown>)[key], rest);
}

// The presets are YAML files of the package; this file runs from dist/bench/scenario.
const PRESETS = fileURLToPath(new URL('../../../bench/presets/', import.meta.url));

export function presetNames(): string[] {
  return readdirSync(PRESETS)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

export function presetPath(name: string): string | undefined {
  return presetNames().includes(name) ? `${PRESETS}${name}.yaml` : undefined;
}
