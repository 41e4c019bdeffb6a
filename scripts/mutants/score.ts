/**
 * The score of a file's tests: how many small changes of the file they notice.
 */

/** A change that StrykerJS made, as its report has it. */
export interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: string
  readonly location: {
    readonly start: { readonly line: number; readonly column: number }
    readonly end: { readonly line: number; readonly column: number }
  }
}

/** A file of the report. */
export interface FileReport {
  readonly source: string
  readonly mutants: ReadonlyArray<Mutant>
}

/** A change that no test can notice: the text, its replacement, and the reason. */
export interface Equivalent {
  readonly text: string
  readonly becomes: string
  readonly reason: string
}

/** A score in percent, and its parts. */
export interface Score {
  readonly percent: number
  readonly noticed: number
  readonly counted: number
  readonly equivalent: number
  /** `line: text -> replacement` of each change that no test noticed. */
  readonly survivors: ReadonlyArray<string>
  /** Equivalents that name no surviving change. */
  readonly unused: ReadonlyArray<string>
}

/** A change that a test noticed, or that never ended. */
const isNoticed = ({ status }: Mutant): boolean => status === "Killed" || status === "Timeout"

/** A change that broke the program's form, or that was left out, counts on neither side. */
const isCounted = ({ status }: Mutant): boolean =>
  status === "Survived" || status === "NoCoverage" || status === "Killed" || status === "Timeout"

/** One line of text, as a person compares it. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

const textOf = (source: string, { end, start }: Mutant["location"]): string => {
  const lines = source.split("\n").slice(start.line - 1, end.line)
  lines[lines.length - 1] = lines[lines.length - 1]!.slice(0, end.column - 1)
  lines[0] = lines[0]!.slice(start.column - 1)
  return oneLine(lines.join(" "))
}

/** The score of one file; an equivalent leaves out every surviving change that it describes. */
export const scoreOf = (
  { mutants, source }: FileReport,
  equivalents: ReadonlyArray<Equivalent>
): Score => {
  const used = new Set<Equivalent>()
  const survivors: Array<string> = []
  let equivalent = 0
  const counted = mutants.filter(isCounted)
  for (const mutant of counted.filter((one) => !isNoticed(one))) {
    const text = textOf(source, mutant.location)
    const becomes = oneLine(mutant.replacement ?? "")
    const same = equivalents.find(
      (one) => oneLine(one.text) === text && oneLine(one.becomes) === becomes
    )
    if (same === undefined) survivors.push(`${mutant.location.start.line}: ${text} -> ${becomes}`)
    else {
      used.add(same)
      equivalent++
    }
  }
  const noticed = counted.filter(isNoticed).length
  const rest = counted.length - equivalent
  return {
    percent: rest === 0 ? 100 : (100 * noticed) / rest,
    noticed,
    counted: rest,
    equivalent,
    survivors,
    unused: equivalents
      .filter((one) => !used.has(one))
      .map(({ becomes, text }) => `${text} -> ${becomes}`)
  }
}
