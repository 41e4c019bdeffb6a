/**
 * The contract of `DeliveryQueue`, as tests.
 *
 * A queue gives each due delivery to one sender at a time.
 *
 * @since 0.1.0
 */
import type { Layer } from "effect"
import type { EndpointStore } from "../ports/EndpointStore.ts"
import type { DeliveryStore } from "../ports/DeliveryStore.ts"
import type { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { webhookClaimTests } from "./webhookClaimTests.ts"
import { webhookLimitTests } from "./webhookLimitTests.ts"
import { webhookOutcomeTests } from "./webhookOutcomeTests.ts"

const tests = { ...webhookClaimTests, ...webhookLimitTests, ...webhookOutcomeTests }

/**
 * Registers the contract of `DeliveryQueue` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<DeliveryQueue | DeliveryStore | EndpointStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
