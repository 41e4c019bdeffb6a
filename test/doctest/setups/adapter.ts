/** The code that the author of an adapter in the documentation has written already. */
import type { Venue } from "@candlewick/core"
import { Context, type Effect, type Layer } from "effect"

/** A double of an exchange, which takes the place of its test network. */
export class MyExchangeDouble extends Context.Service<
  MyExchangeDouble,
  {
    readonly url: string
    readonly moveTo: (symbol: string, price: string) => Effect.Effect<void>
    readonly cutSockets: Effect.Effect<void>
  }
>()("doctest/MyExchangeDouble") {
  declare static readonly layer: Layer.Layer<MyExchangeDouble>
}

export declare const makeMyVenue: (url: string) => Effect.Effect<Venue>
