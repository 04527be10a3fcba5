/** The options of all duration histograms. Store calls take from half a millisecond to the deadline. */
export const DURATIONS: { readonly unit: 's'; readonly advice: { explicitBucketBoundaries: number[] } } = {
  unit: 's',
  advice: {
    explicitBucketBoundaries: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
}
