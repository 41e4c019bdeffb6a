import { JudgementStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("JudgementStore", (name, layer) => JudgementStoreSuite.suite(name, layer))
