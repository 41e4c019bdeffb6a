/**
 * The order of test files: the longest projects first, and in each the files that took longest.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Keeps the files of a project together, so that they can share a process. */
export default class Sequencer extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const names = this.ctx.projects.map(({ name }) => name)
    const placeOf = ({ project }: TestSpecification) => names.indexOf(project.name)
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
