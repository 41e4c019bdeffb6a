import { StepStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("StepStore", (name, layer) => StepStoreSuite.suite(name, layer))
