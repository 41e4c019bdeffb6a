/** The store that an author of an adapter in the documentation has written. */
export { MemoryStore as MyStore } from "@candlewick/store-memory"
