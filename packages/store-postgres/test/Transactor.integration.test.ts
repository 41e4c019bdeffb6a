import { TransactorSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("Transactor", (name, layer) => TransactorSuite.suite(name, layer))
