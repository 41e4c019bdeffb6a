import { NoticeQueueSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

NoticeQueueSuite.suite("the memory NoticeQueue", MemoryStore.layer)
