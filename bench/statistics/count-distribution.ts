// The distribution of a sum of many independent counts, exactly: the convolution of one with itself, so many times. What is
// cut off at either end is too small to be a number that anyone prints.

export interface CountDistribution {
  /** The count of the first entry. */
  readonly first: number;
  /** Probability of first, first + 1, … */
  readonly p: Float64Array;
}

/** Less than this share of the whole is cut off at either end. */
const NOTHING = 1e-18;

export function sumOf(one: CountDistribution, times: number): CountDistribution {
  let result: CountDistribution = { first: 0, p: Float64Array.of(1) };
  let power = one;
  for (let left = times; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = convolved(result, power);
    if (left > 1) power = convolved(power, power);
  }
  return result;
}

function convolved(a: CountDistribution, b: CountDistribution): CountDistribution {
  const p = new Float64Array(a.p.length + b.p.length - 1);
  a.p.forEach((left, i) => {
    for (let j = 0; j < b.p.length; j++) p[i + j] = (p[i + j] ?? 0) + left * (b.p[j] ?? 0);
  });
  return trimmed({ first: a.first + b.first, p });
}

function trimmed({ first, p }: CountDistribution): CountDistribution {
  let from = 0;
  let to = p.length;
  for (let cut = p[from] ?? 0; from < to - 1 && cut < NOTHING; cut += p[from] ?? 0) from++;
  for (let cut = p[to - 1] ?? 0; to > from + 1 && cut < NOTHING; cut += p[to - 1] ?? 0) to--;
  return { first: first + from, p: p.slice(from, to) };
}

/** P(count <= x). */
export function cdf({ first, p }: CountDistribution, x: number): number {
  let sum = 0;
  for (let i = 0; i < p.length && first + i <= x; i++) sum += p[i] ?? 0;
  return Math.min(1, sum);
}

/** The smallest count that is not passed with probability `share`. */
export function quantile({ first, p }: CountDistribution, share: number): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) {
    sum += p[i] ?? 0;
    if (sum >= share) return first + i;
  }
  return first + p.length - 1;
}

export function moments({ first, p }: CountDistribution): { readonly mean: number; readonly sd: number } {
  const mean = p.reduce((sum, share, i) => sum + share * (first + i), 0);
  const variance = p.reduce((sum, share, i) => sum + share * (first + i - mean) ** 2, 0);
  return { mean, sd: Math.sqrt(variance) };
}
