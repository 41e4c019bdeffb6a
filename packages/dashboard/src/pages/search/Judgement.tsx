/**
 * The worth of a search's best: how much of it luck and many trials explain.
 */
import type { VNode } from "preact"
import type { SearchResults } from "../../api/types.ts"
import { formatNumber, formatShare } from "../../parts/format.ts"
import { Figure } from "../../parts/values.tsx"

type Judged = NonNullable<SearchResults["judgement"]>

const Figures = ({ judged }: { readonly judged: Judged }): VNode => {
  const { deflated_sharpe: deflated, degradation, neighbourhood, overfitting } = judged
  return (
    <dl class="figures">
      {deflated === null ? null : (
        <Figure
          name="Better than luck"
          note={`Sharpe ${formatNumber(deflated.sharpe)}, luck alone ${formatNumber(deflated.sharpe_of_luck)} in ${formatNumber(deflated.trial_count, 0)} trials`}
        >
          {formatShare(deflated.probability, 1)}
        </Figure>
      )}
      {overfitting === null ? null : (
        <Figure
          name="Overfitting"
          note={`${formatNumber(overfitting.split_count, 0)} splits; loses elsewhere in ${formatShare(overfitting.loss_probability, 0)}`}
        >
          {formatShare(overfitting.probability, 1)}
        </Figure>
      )}
      <Figure
        name="Its neighbours"
        note={
          neighbourhood === null
            ? "none was tried"
            : `median of ${formatNumber(neighbourhood.trial_count, 0)}, ${formatNumber(neighbourhood.eligible_count, 0)} eligible; worst ${formatNumber(neighbourhood.objective_worst, 3)}`
        }
      >
        {formatNumber(neighbourhood?.objective_median, 3)}
      </Figure>
      {degradation === null ? null : (
        <Figure
          name="Left out of sample"
          note={`${formatNumber(degradation.objective_in_sample, 3)} became ${formatNumber(degradation.objective_out_of_sample, 3)}`}
        >
          {formatShare(degradation.retained_rate, 0)}
        </Figure>
      )}
    </dl>
  )
}

/** The worth of a search's best. */
export const Judgement = ({ search }: { readonly search: SearchResults }): VNode | null => {
  const { judgement: judged } = search
  if (judged === undefined) return null
  return (
    <section class="card">
      <h2>What the best is worth</h2>
      {judged.is_worse_than_original === true ? (
        <p class="banner bad" id="nothing-to-apply">
          The best did worse out of sample than the strategy's own parameters: there is nothing to
          apply.
        </p>
      ) : null}
      <Figures judged={judged} />
    </section>
  )
}
