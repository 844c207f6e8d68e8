// The strategies that have a name. A scenario uses them as they are, changes single settings, or composes its own.

import { bounded } from './bounded.ts';
import { fromField } from './field.ts';
import { guarded } from './guarded.ts';
import { jittered } from './jittered.ts';
import { naive } from './naive.ts';
import { patches } from './patches.ts';
import type { Strategy } from './settings.ts';

export const CATALOGUE: Readonly<Record<string, Strategy>> = {
  naive,
  guarded,
  ...patches,
  ...bounded,
  ...fromField,
  ...jittered,
};
