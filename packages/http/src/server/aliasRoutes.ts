/**
 * Serves every operation under both prefixes, by the same handlers.
 *
 * @since 0.1.0
 */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { aliasOf } from "../api/alias.ts"

const withAlias = (
  route: HttpRouter.Route<unknown, unknown>
): ReadonlyArray<HttpRouter.Route<unknown, unknown>> => {
  const alias = aliasOf(route.path)
  return alias === undefined
    ? [route]
    : [
        route,
        HttpRouter.route(route.method, alias as HttpRouter.PathInput, route.handler, {
          uninterruptible: route.uninterruptible
        })
      ]
}

/**
 * A router that adds the alias of every versioned route beside it. @category layers @since 0.1.0
 */
export const aliasRoutes: Layer.Layer<HttpRouter.HttpRouter, never, HttpRouter.HttpRouter> =
  Layer.effect(
    HttpRouter.HttpRouter,
    Effect.map(HttpRouter.HttpRouter, (router) =>
      HttpRouter.HttpRouter.of({
        ...router,
        addAll: ((routes: ReadonlyArray<HttpRouter.Route<unknown, unknown>>) =>
          router.addAll(routes.flatMap(withAlias))) as typeof router.addAll
      })
    )
  )
