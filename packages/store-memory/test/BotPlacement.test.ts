import type { BotPlacement } from "@candlewick/core"
import { BotPlacementSuite, makePlacements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { Effect, type Layer } from "effect"

const alone: Layer.Layer<BotPlacement> = MemoryStore.layer

BotPlacementSuite.suite("the memory BotPlacement", {
  store: Effect.succeed(() => alone),
  isShared: false
})

BotPlacementSuite.suite("the placements of tests", {
  store: Effect.sync(() => makePlacements().layer),
  isShared: false
})
