/**
 * The contract of `Venue`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import type { Effect, Layer, Scope } from "effect"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import type { VenueHarness } from "./venueAccount.ts"
import { venueOrderTests } from "./venueOrderTests.ts"
import { venueTradeTests } from "./venueTradeTests.ts"

/** The facts of an adapter that the suite needs. @category models @since 0.1.0 */
export interface VenueSuiteOptions<R> extends SuiteOptions {
  /** Opens an account for one test; it is closed when the test ends. */
  readonly open: Effect.Effect<VenueHarness, unknown, R | Scope.Scope>
}

/**
 * Registers the contract of `Venue` as tests of an adapter.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <R, E>(
  name: string,
  layer: Layer.Layer<R, E>,
  { open, ...options }: VenueSuiteOptions<R>
): void =>
  registerSuite<R, E>(name, layer, { ...venueOrderTests(open), ...venueTradeTests(open) }, options)
