// Intervals for many means at once, of figures that were measured on the same nights: each is a paired t interval, at a level
// at which all of them hold together. That level takes account of how the figures move together (the largest of the
// correlated statistics, "max-T": Hothorn, Bretz, Westfall, Biometrical Journal 50 (2008)), where a division by their number
// would not; and it gives intervals, which a stepwise method such as Holm's does not.

import { stream } from '../../platform-sim/draws.ts';
import { normalOutside, normalQuantile, tQuantile } from './distributions.ts';
import { CONFIDENCE } from './share-interval.ts';

/** The value of one contrast on each night, all contrasts in the same order of nights. */
export type Contrast = ArrayLike<number>;

export interface MeanEstimate {
  readonly mean: number;
  /** Standard deviation over the nights; the mean over it is an effect size without a unit. */
  readonly sd: number;
  readonly low: number;
  readonly high: number;
}

export interface Simultaneous {
  readonly estimates: readonly MeanEstimate[];
  /** The share of error that each interval may use so that all together use what was asked for. */
  readonly errorEach: number;
}

/** Draws of the largest statistic: enough for its 95 % quantile to within a hundredth or two. */
const DRAWS = 4000;
/** Nights from which correlations are estimated, at most. */
const CORRELATION_NIGHTS = 400;

/**
 * @param contrasts at least two nights each
 * @param seed of the draws that find the common level; the same seed gives the same bytes
 */
export function simultaneousMeans(contrasts: readonly Contrast[], seed: number, confidence = CONFIDENCE): Simultaneous {
  const nights = contrasts[0]?.length ?? 0;
  if (nights < 2 || contrasts.some(({ length }) => length !== nights))
    throw new RangeError('intervals need two nights or more, the same for every contrast');
  const moments = contrasts.map(momentsOf);
  const errorEach = commonError(residuals(contrasts, moments), seed, 1 - confidence);
  const t = tQuantile(1 - errorEach / 2, nights - 1);
  const estimates = moments.map(({ mean, sd }) => {
    const half = sd === 0 ? 0 : (t * sd) / Math.sqrt(nights);
    return { mean, sd, low: mean - half, high: mean + half };
  });
  return { estimates, errorEach };
}

interface Moments {
  readonly mean: number;
  readonly sd: number;
}

/** Below this share of the values themselves a deviation is rounding. */
const ROUNDING = 1e-12;

function momentsOf(values: Contrast): Moments {
  const n = values.length;
  let sum = 0;
  let largest = 0;
  for (let i = 0; i < n; i++) {
    sum += values[i] ?? 0;
    largest = Math.max(largest, Math.abs(values[i] ?? 0));
  }
  const mean = sum / n;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += ((values[i] ?? 0) - mean) ** 2;
  const sd = Math.sqrt(squares / (n - 1));
  return { mean, sd: sd <= ROUNDING * largest ? 0 : sd };
}

/** Deviations of the contrasts that vary, each scaled to a sum of squares of 1; a repeated contrast is left out. */
function residuals(contrasts: readonly Contrast[], moments: readonly Moments[]): Float64Array[] {
  const all = new Map<string, Float64Array>();
  contrasts.forEach((contrast, index) => {
    const { mean, sd } = moments[index] ?? { mean: 0, sd: 0 };
    if (sd === 0) return;
    const nights = Math.min(contrast.length, CORRELATION_NIGHTS);
    const deviations = Float64Array.from({ length: nights }, (_, night) => (contrast[night] ?? 0) - mean);
    const norm = Math.hypot(...deviations);
    if (norm === 0) return;
    const scaled = deviations.map((each) => each / norm);
    // A contrast that is another one in a different unit says the same at every draw.
    const sign = Math.sign(scaled.find((each) => Math.abs(each) > 1e-9) ?? 1);
    all.set(scaled.map((each) => Math.round(each * sign * 1e9)).join(), scaled);
  });
  return [...all.values()];
}

/** The error of each at which the largest of the correlated normal statistics leaves its band with the error asked for. */
function commonError(deviations: readonly Float64Array[], seed: number, error: number): number {
  const [first] = deviations;
  if (first === undefined || deviations.length === 1) return error;
  const normal = normalDraws(seed);
  const weights = new Float64Array(first.length);
  const largest = Float64Array.from({ length: DRAWS }, (_, draw) => {
    for (let night = 0; night < weights.length; night++) weights[night] = normal(draw, night);
    let most = 0;
    for (const each of deviations) most = Math.max(most, Math.abs(dot(each, weights)));
    return most;
  }).sort();
  const critical = largest[Math.ceil((1 - error) * DRAWS) - 1] ?? Number.POSITIVE_INFINITY;
  // Never less strict than one interval alone, which the draws could give by their chance.
  return Math.min(error, normalOutside(Math.max(critical, normalQuantile(1 - error / 2))));
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Standard normal draws by Box and Muller's method, keyed as all draws are. */
function normalDraws(seed: number): (draw: number, night: number) => number {
  const radius = stream(seed, 'statistics:radius');
  const angle = stream(seed, 'statistics:angle');
  return (draw, night) =>
    Math.sqrt(-2 * Math.log(1 - radius(draw, night))) * Math.cos(2 * Math.PI * angle(draw, night));
}
