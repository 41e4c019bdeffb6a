/**
 * The code of strategies that a host brings, for services and for their threads.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer } from "effect"
import { type CodeByName, noCode } from "@candlewick/engine"
import { loadCode } from "../runs/workers/loadCode.ts"

/** Code, and the module that threads load it from. @category models @since 0.1.0 */
export interface HostCode {
  readonly byName: CodeByName
  readonly module: string | null
}

/**
 * The code that definitions may name; there is none by default.
 *
 * @category services
 * @since 0.1.0
 */
export const CodeStrategies = Context.Reference<HostCode>(
  "@candlewick/core/services/CodeStrategies",
  { defaultValue: () => ({ byName: noCode, module: null }) }
)

/**
 * The strategies that a module exports, each made by `define`; bots run them in this thread, runs
 * in threads that load the module too.
 *
 * **Gotchas**
 *
 * The module does nothing but export: every thread loads it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerCodeStrategies = (module: URL): Layer.Layer<never> =>
  Layer.effect(
    CodeStrategies,
    Effect.map(
      Effect.promise(() => loadCode(module.href)),
      (byName) => ({ byName, module: module.href })
    )
  )
