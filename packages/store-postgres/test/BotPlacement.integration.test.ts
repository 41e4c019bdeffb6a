import { BotPlacementSuite } from "@candlewick/core/testing"
import { Effect, Layer } from "effect"
import { BotPlacement } from "../src/index.ts"
import { onEveryDatabase } from "./databases/onEveryDatabase.ts"

onEveryDatabase("BotPlacement", (name, database) =>
  BotPlacementSuite.suite(name, {
    store: Effect.map(
      Layer.build(database),
      (client) => () => Layer.provide(BotPlacement.layer, Layer.succeedContext(client))
    ),
    isShared: true
  })
)
