// The families of distributions that the law suite runs for, and which laws each must run.
#pragma once

#include "laws/families/chains.hpp"
#include "laws/families/cuda_trees.hpp"
#include "laws/families/factor_graphs.hpp"
#include "laws/families/machines.hpp"
#include "laws/families/projective_trees.hpp"
#include "laws/families/segmentations.hpp"
#include "laws/families/spanning_trees.hpp"
#include "laws/families/trees.hpp"
#include "laws/members.hpp"

#include <gtest/gtest.h>

namespace kirchhoff::laws {

template <Root kRoot>
using Trees = TreeFamily<TreeDistribution, kRoot>;
template <Root kRoot>
using LabelledTrees = TreeFamily<LabelledTreeDistribution, kRoot>;
template <Root kRoot>
using ProjectiveTrees = ProjectiveFamily<ProjectiveTreeDistribution, kRoot>;
template <Root kRoot>
using LabelledProjectiveTrees = ProjectiveFamily<LabelledProjectiveTreeDistribution, kRoot>;
template <Root kRoot>
using CudaTrees = CudaTreeFamily<TreeDistribution, kRoot>;
template <Root kRoot>
using CudaLabelledTrees = CudaTreeFamily<LabelledTreeDistribution, kRoot>;
using Families =
    testing::Types<Trees<Root::single>, Trees<Root::multi>, LabelledTrees<Root::single>, LabelledTrees<Root::multi>,
                   CudaTrees<Root::single>, CudaTrees<Root::multi>, CudaLabelledTrees<Root::single>,
                   CudaLabelledTrees<Root::multi>, ProjectiveTrees<Root::single>, ProjectiveTrees<Root::multi>,
                   LabelledProjectiveTrees<Root::single>, LabelledProjectiveTrees<Root::multi>, Chains, Segmentations,
                   SpanningTrees, Machines, FactorGraphFamily<ExactResult>, FactorGraphFamily<BpResult>>;

// A law that no longer finds its member would pass in silence.
template <class F>
concept HasInformation =
    IsFamily<F> && HasRenyi<F> && HasKl<F> && HasCumulants<F> && HasKBest<F> && HasSamples<F> && HasForbid<F>;
template <class F>
concept HasAll = HasInformation<F> && HasLogProb<F> && HasTemperature<F> && HasRequire<F> && HasRenaming<F>;
static_assert(HasAll<Trees<Root::single>> && HasBatch<Trees<Root::single>> && HasBatch<Trees<Root::multi>>);
static_assert(HasAll<Trees<Root::multi>> && HasAll<LabelledTrees<Root::single>> && HasAll<LabelledTrees<Root::multi>>);
static_assert(HasAll<Chains> && HasBatch<Chains>);
static_assert(HasAll<ProjectiveTrees<Root::single>> && HasAll<LabelledProjectiveTrees<Root::multi>>);
static_assert(HasBatch<ProjectiveTrees<Root::multi>> && HasBatch<LabelledProjectiveTrees<Root::single>>);
template <class F>
concept HasAnswers =
    IsFamily<F> && HasEntropy<F> && HasKl<F> && HasRequire<F> && HasForbid<F> && HasRenaming<F> && HasBatch<F>;
static_assert(HasAnswers<CudaTrees<Root::single>> && HasAnswers<CudaTrees<Root::multi>>);
static_assert(HasAnswers<CudaLabelledTrees<Root::single>> && HasAnswers<CudaLabelledTrees<Root::multi>>);
static_assert(HasInformation<Machines> && HasTemperature<Machines> && HasRenaming<Machines> && HasBatch<Machines>);
static_assert(HasInformation<Segmentations> && HasLogProb<Segmentations> && HasTemperature<Segmentations>);
static_assert(HasRenaming<Segmentations> && HasBatch<Segmentations> && HasRenaming<SpanningTrees>);
static_assert(HasInformation<SpanningTrees> && HasLogProb<SpanningTrees> && HasTemperature<SpanningTrees>);
template <class F>
concept HasMore = HasAlong<F> && HasCovariance<F> && HasBest<F> && HasDistinct<F> && HasPadding<F> && HasLargest<F>;
static_assert(HasMore<Trees<Root::single>> && HasMore<LabelledTrees<Root::multi>> && HasMore<Chains>);
static_assert(HasMore<ProjectiveTrees<Root::multi>> && HasMore<LabelledProjectiveTrees<Root::single>>);
static_assert(HasMore<Machines> && HasMore<Segmentations> && HasLargest<CudaTrees<Root::single>>);
static_assert(HasMore<SpanningTrees>);
template <class F>
concept HasBeliefs = IsFamily<F> && HasLogProb<F> && HasEntropy<F> && HasRequire<F> && HasForbid<F>;
static_assert(HasBeliefs<FactorGraphFamily<BpResult>> && HasBeliefs<FactorGraphFamily<ExactResult>>);
static_assert(HasKBest<FactorGraphFamily<ExactResult>> && HasTemperature<FactorGraphFamily<ExactResult>>);

}  // namespace kirchhoff::laws
