/**
 * Numbers in, numbers out: `@candlewick/engine/kernel` under the name that it has beside the services.
 *
 * @since 0.1.0
 */
export * from "@candlewick/engine/kernel"
