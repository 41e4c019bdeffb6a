/** The message where the server can't listen: it names the variable and the remedy. */
import { serve } from "@candlewick/http"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { faultText } from "../../src/main/faultText.ts"
import { fakeServices, makeControl } from "../fakes.ts"
import { startServer } from "../server.ts"

const ending = (settings: { readonly host: string; readonly port: number }) =>
  Effect.gen(function* () {
    const served = serve(settings).pipe(Layer.provide(fakeServices(makeControl())))
    const exit = yield* Effect.exit(Layer.build(served))
    return Exit.isFailure(exit) ? faultText(exit.cause, settings) : ""
  })

it.live("names HOST where it is no address of this machine", () =>
  Effect.gen(function* () {
    for (const host of ["256.1.1.1", "192.0.2.1"]) {
      const text = yield* ending({ host, port: 0 })
      assert.include(
        text,
        `Candlewick ends: HOST ${host} is no address of this machine: set HOST to one`
      )
      assert.match(text, /: (getaddrinfo E|listen EADDRNOTAVAIL)/)
      assert.notInclude(text, ": :")
    }
  })
)

it.live("names PORT where it is in use", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* startServer()
    const port = Number(new URL(baseUrl).port)
    const text = yield* ending({ host: "127.0.0.1", port })
    assert.include(
      text,
      `Candlewick ends: PORT ${port} is in use on 127.0.0.1: stop that process, or set PORT`
    )
    assert.notInclude(text, ": :")
  })
)

it("tells every other failure with what lies under it", () => {
  const error = new Error("the store can't be opened", { cause: new Error("no such directory") })
  const text = faultText(Cause.fail(error), { host: "127.0.0.1", port: 1 })
  assert.strictEqual(text, "Candlewick ends: the store can't be opened: no such directory")
})
