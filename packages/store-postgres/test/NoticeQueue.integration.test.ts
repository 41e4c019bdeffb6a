import { NoticeQueueSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("NoticeQueue", (name, layer) => NoticeQueueSuite.suite(name, layer))
