// What is used of jstat, which comes without types.

declare module 'jstat' {
  interface Distribution2 {
    inv(p: number, a: number, b: number): number;
    cdf(x: number, a: number, b: number): number;
  }
  export const jStat: {
    readonly studentt: { inv(p: number, df: number): number };
    readonly normal: Distribution2;
    readonly beta: Distribution2;
    /** Regularised incomplete beta function. */
    ibeta(x: number, a: number, b: number): number;
  };
}
