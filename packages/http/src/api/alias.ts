/**
 * The two prefixes: every operation answers under `/api/v1` and under `/v1`.
 *
 * The API value has the form that the interface document prints; the other one is its alias.
 *
 * @since 0.1.0
 */

/**
 * The other path of an operation, or none for paths without a version.
 *
 * @category conversions
 * @since 0.1.0
 */
export const aliasOf = (path: string): string | undefined =>
  path.startsWith("/api/v1/") ? path.slice(4) : path.startsWith("/v1/") ? `/api${path}` : undefined
