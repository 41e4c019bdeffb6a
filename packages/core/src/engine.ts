/**
 * The fast path: `@candlewick/engine/fast` under the name that it has beside the services.
 *
 * @since 0.1.0
 */
export * from "@candlewick/engine/fast"
