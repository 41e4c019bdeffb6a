/**
 * Cuts the power of the embedded store at random moments and prints what was lost.
 *
 *   npm run power-cuts -- [cuts] [seed]
 */
import { powerCuts } from "../packages/store-postgres/test/embedded/powerCuts.ts"

const cutsEach = 40
const cuts = Number(process.argv[2] ?? 200)
const seed = Number(process.argv[3] ?? 1)

let answered = 0
const failures: Array<string> = []
for (let done = 0; done < cuts; done += cutsEach) {
  const round = await powerCuts({
    cuts: Math.min(cutsEach, cuts - done),
    steps: 150,
    seed: seed + done
  })
  answered += round.answered
  failures.push(...round.failures)
  console.log(
    `${done + round.cuts} cuts, ${answered} answered statements, ${failures.length} losses`
  )
}
for (const failure of failures) console.log(failure)

const control = await powerCuts({ cuts: 20, steps: 150, seed, withoutSyncs: true })
console.log(`without syncs: ${control.cuts} cuts, ${control.failures.length} losses`)
process.exitCode = failures.length === 0 && control.failures.length > 0 ? 0 : 1
