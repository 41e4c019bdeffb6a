/**
 * Programs from code fences: each fence of TypeScript or JavaScript with what it begins with, and
 * the text that the page shows as its output.
 */
import { type Fence, placeOf, settingOf } from "./fences.ts"

/** A program that the doctest checks, and runs unless its fence says `no-run`. */
export interface Program {
  readonly place: string
  /** The name of its file. */
  readonly file: string
  readonly code: string
  readonly isRun: boolean
  /** The output that the page claims; null where the page shows none. */
  readonly output: string | null
}

/** The languages of programs, with the endings of their files. */
const endings: Readonly<Record<string, string>> = { ts: "ts", js: "js", python: "py" }

const isProgram = ({ language }: Fence): boolean => endings[language] !== undefined

/** The texts that a page shows as the output of its programs and shell scripts. */
export const outputsOf = (fences: ReadonlyArray<Fence>): ReadonlyMap<Fence, string> => {
  const outputs = new Map<Fence, string>()
  let last: Fence | null = null
  for (const fence of fences) {
    if (fence.words.includes("output")) {
      if (last === null)
        throw new Error(`${placeOf(fence)}: there is no program before this output`)
      outputs.set(last, fence.text)
    }
    if (isProgram(fence) || fence.language === "sh") last = fence
  }
  return outputs
}

const arrows = (code: string): string | null => {
  const shown = [...code.matchAll(/\/\/ => (.*)$/gm)].map(([, text]) => text!)
  return shown.length === 0 ? null : shown.join("\n")
}

/** The names that a setup exports. */
export type SetupNames = (setup: string) => ReadonlyArray<string>

const importOf = (fence: Fence, namesOf: SetupNames): ReadonlyArray<string> => {
  const setup = settingOf(fence, "setup")
  if (setup === null || setup === "json") return []
  const isMeant = (name: string): boolean =>
    new RegExp(`\\b${name}\\b`).test(fence.text) &&
    !new RegExp(`\\b(?:const|class|function) ${name}\\b`).test(fence.text)
  const names = namesOf(setup).filter(isMeant)
  return [`import { ${names.join(", ")} } from "../setups/${setup}.ts"`]
}

/** The programs of one page, in its order. */
export const programsOf = (
  fences: ReadonlyArray<Fence>,
  namesOf: SetupNames
): ReadonlyArray<Program> => {
  const codes = new Map<Fence, string>()
  const outputs = outputsOf(fences)
  const before: Record<string, Fence> = {}
  for (const fence of fences) {
    if (isProgram(fence)) {
      const { json, [fence.language]: same } = before
      const lines = [...importOf(fence, namesOf)]
      if (settingOf(fence, "setup") === "json") {
        if (json === undefined) throw new Error(`${placeOf(fence)}: there is no json before it`)
        lines.push(`const definition = ${json.text}`)
      }
      if (fence.words.includes("continued")) {
        if (same === undefined) throw new Error(`${placeOf(fence)}: it continues nothing`)
        lines.push(codes.get(same)!)
      }
      codes.set(fence, [...lines, fence.text].join("\n"))
    }
    before[fence.language] = fence
  }
  return [...codes].map(([fence, code]) => ({
    place: placeOf(fence),
    file: `${fence.path.replaceAll(/[^\w]+/g, "-")}-${fence.line}.${endings[fence.language]!}`,
    code: fence.language === "python" ? `${code}\n` : `// ${placeOf(fence)}\n${code}\nexport {}\n`,
    isRun: !fence.words.includes("no-run"),
    output: outputs.get(fence) ?? arrows(fence.text)
  }))
}
