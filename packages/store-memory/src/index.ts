/**
 * Stores in memory, for trying things out and for tests.
 *
 * @since 0.1.0
 */
export { MemoryStore } from "./MemoryStore.ts"
