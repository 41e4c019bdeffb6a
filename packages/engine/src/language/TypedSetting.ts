/**
 * Settings whose kind the compiler knows.
 *
 * @since 0.1.0
 */
import type { Parameter } from "./Parameter.ts"

declare const kind: unique symbol

/**
 * A parameter whose kind the compiler knows, in the place of a number; at run time it is the plain
 * setting.
 *
 * @category models
 * @since 0.1.0
 */
export type ParameterIn<K extends Parameter["kind"] = Parameter["kind"]> = {
  readonly parameter: string
  readonly [kind]?: K
}

/** A setting that counts candles: no parameter with a fraction. @category models @since 0.1.0 */
export type WholeSetting = number | ParameterIn<"integer" | "choice">
