import AsiStackProofs.FastGeneration
import AsiStackProofs.FastGenerationRefinement

/-! The package: three finite countermodels, and the lifecycle with its refinement. -/
