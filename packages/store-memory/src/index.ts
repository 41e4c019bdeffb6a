/**
 * In-memory stores for Candlewick.
 *
 * @since 0.1.0
 */
export { MemoryStore } from "./MemoryStore.ts"
