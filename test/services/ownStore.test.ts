/**
 * The store of the guide for adapters keeps what every store of candles owes its callers.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CandleStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { Layer } from "effect"
import { fileCandles } from "../../examples/ownStore.ts"

const directory = mkdtempSync(join(tmpdir(), "candlewick-own-store-"))

CandleStoreSuite.suite(
  "the store of the guide",
  Layer.merge(MemoryStore.layer, fileCandles(directory)),
  {
    skip: [
      {
        test: "puts and removes no series in a transaction that failed",
        reason: "files have no transactions"
      }
    ]
  }
)
