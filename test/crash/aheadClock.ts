/**
 * Sets the clock of a process ahead, for `node --import`: `CANDLEWICK_TEST_CLOCK_AHEAD_MS` says by
 * how much. Timers and durations are left as they are, as those of a computer whose clock is wrong.
 */
const aheadMs = Number(process.env["CANDLEWICK_TEST_CLOCK_AHEAD_MS"])
const TrueDate = Date

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(
      target,
      given.length === 0 ? [TrueDate.now() + aheadMs] : given,
      newTarget
    ) as Date,
  apply: () => new Date().toString(),
  get: (target, name, receiver) =>
    name === "now" ? () => TrueDate.now() + aheadMs : Reflect.get(target, name, receiver)
})
