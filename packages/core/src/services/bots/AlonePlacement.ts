/**
 * The placement of bots where one process has the store to itself.
 *
 * @since 0.1.0
 */
import { Effect, Layer } from "effect"
import { BotPlacement } from "../../ports/BotPlacement.ts"

/**
 * A placement for stores that no second process can open: memory and embedded databases.
 *
 * @category layers
 * @since 0.1.0
 */
export const AlonePlacement: { readonly layer: Layer.Layer<BotPlacement> } = {
  /** Every bot is this process's. */
  layer: Layer.succeed(BotPlacement, {
    shareOf: () => "all",
    isMine: () => true,
    hasOwner: () => Effect.succeed(true),
    takeLoss: () => null,
    serve: ({ gained }) => Effect.andThen(gained, Effect.never)
  })
}
