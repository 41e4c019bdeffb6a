/**
 * Research on arrays: `@candlewick/engine/research` under the name that it has beside the services.
 *
 * @since 0.1.0
 */
export * from "@candlewick/engine/research"
