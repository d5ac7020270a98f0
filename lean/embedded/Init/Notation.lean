/-
Written by scripts/lean_bindings.py from notation.txt and the symbols of the pinned library. Do not
edit.

Each `opaque` is a parser or a macro of stock Lean, found by its name among the natively compiled
ones. They turn text into terms and nothing more: what they yield is elaborated and then checked by
the kernel.
-/
prelude
import Init.Prelude

@[extern "native", term_parser 1000] opaque termIfThenElse : Lean.ParserDescr
@[extern "native", macro termIfThenElse] opaque _aux_Init_Notation___macroRules_termIfThenElse_1 : Lean.Macro
@[extern "native", term_parser 1000] opaque termDepIfThenElse : Lean.ParserDescr
@[extern "native", macro termDepIfThenElse] opaque _aux_Init_Notation___macroRules_termDepIfThenElse_1 : Lean.Macro
@[extern "native", term_parser 1000] opaque «term∃_,_» : Lean.ParserDescr
@[extern "native", macro «term∃_,_»] opaque «_aux_Init_NotationExtra___macroRules_term∃_,__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_∧_» : Lean.TrailingParserDescr
@[extern "native", macro «term_∧_»] opaque «_aux_Init_Notation___macroRules_term_∧__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_∨_» : Lean.TrailingParserDescr
@[extern "native", macro «term_∨_»] opaque «_aux_Init_Notation___macroRules_term_∨__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term¬_» : Lean.ParserDescr
@[extern "native", macro «term¬_»] opaque «_aux_Init_Notation___macroRules_term¬__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_=_» : Lean.TrailingParserDescr
@[extern "native", macro «term_=_»] opaque «_aux_Init_Notation___macroRules_term_=__1» : Lean.Macro
@[extern "native", macro «term_=_»] opaque «_aux_Init_Notation___macroRules_term_=__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_≠_» : Lean.TrailingParserDescr
@[extern "native", macro «term_≠_»] opaque «_aux_Init_Core___macroRules_term_≠__1» : Lean.Macro
@[extern "native", macro «term_≠_»] opaque «_aux_Init_Core___macroRules_term_≠__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_↔_» : Lean.TrailingParserDescr
@[extern "native", macro «term_↔_»] opaque «_aux_Init_Core___macroRules_term_↔__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_&&_» : Lean.TrailingParserDescr
@[extern "native", macro «term_&&_»] opaque «_aux_Init_Notation___macroRules_term_&&__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_||_» : Lean.TrailingParserDescr
@[extern "native", macro «term_||_»] opaque «_aux_Init_Notation___macroRules_term_||__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque term!_ : Lean.ParserDescr
@[extern "native", macro term!_] opaque _aux_Init_Notation___macroRules_term!__1 : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_::_» : Lean.TrailingParserDescr
@[extern "native", macro «term_::_»] opaque «_aux_Init_Notation___macroRules_term_::__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term[_]» : Lean.ParserDescr
@[extern "native", macro «term[_]»] opaque Lean.«_aux_Init_Data_List_Notation___macroRules_term[_]_1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term%[_|_]» : Lean.ParserDescr
@[extern "native", macro «term%[_|_]»] opaque «_aux_Init_NotationExtra___macroRules_term%[_|_]_1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_×_» : Lean.TrailingParserDescr
@[extern "native", macro «term_×_»] opaque «_aux_Init_Notation___macroRules_term_×__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_+_» : Lean.TrailingParserDescr
@[extern "native", macro «term_+_»] opaque «_aux_Init_Notation___macroRules_term_+__1» : Lean.Macro
@[extern "native", macro «term_+_»] opaque «_aux_Init_Notation___macroRules_term_+__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_-_» : Lean.TrailingParserDescr
@[extern "native", macro «term_-_»] opaque «_aux_Init_Notation___macroRules_term_-__1» : Lean.Macro
@[extern "native", macro «term_-_»] opaque «_aux_Init_Notation___macroRules_term_-__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_*_» : Lean.TrailingParserDescr
@[extern "native", macro «term_*_»] opaque «_aux_Init_Notation___macroRules_term_*__1» : Lean.Macro
@[extern "native", macro «term_*_»] opaque «_aux_Init_Notation___macroRules_term_*__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_/_» : Lean.TrailingParserDescr
@[extern "native", macro «term_/_»] opaque «_aux_Init_Notation___macroRules_term_/__1» : Lean.Macro
@[extern "native", macro «term_/_»] opaque «_aux_Init_Notation___macroRules_term_/__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_%_» : Lean.TrailingParserDescr
@[extern "native", macro «term_%_»] opaque «_aux_Init_Notation___macroRules_term_%__1» : Lean.Macro
@[extern "native", macro «term_%_»] opaque «_aux_Init_Notation___macroRules_term_%__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_^_» : Lean.TrailingParserDescr
@[extern "native", macro «term_^_»] opaque «_aux_Init_Notation___macroRules_term_^__1» : Lean.Macro
@[extern "native", macro «term_^_»] opaque «_aux_Init_Notation___macroRules_term_^__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_<_» : Lean.TrailingParserDescr
@[extern "native", macro «term_<_»] opaque «_aux_Init_Notation___macroRules_term_<__1» : Lean.Macro
@[extern "native", macro «term_<_»] opaque «_aux_Init_Notation___macroRules_term_<__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_≤_» : Lean.TrailingParserDescr
@[extern "native", macro «term_≤_»] opaque «_aux_Init_Notation___macroRules_term_≤__1» : Lean.Macro
@[extern "native", macro «term_≤_»] opaque «_aux_Init_Notation___macroRules_term_≤__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_++_» : Lean.TrailingParserDescr
@[extern "native", macro «term_++_»] opaque «_aux_Init_Notation___macroRules_term_++__1» : Lean.Macro
@[extern "native", macro «term_++_»] opaque «_aux_Init_Notation___macroRules_term_++__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_∈_» : Lean.TrailingParserDescr
@[extern "native", macro «term_∈_»] opaque «_aux_Init_Notation___macroRules_term_∈__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_∉_» : Lean.TrailingParserDescr
@[extern "native", macro «term_∉_»] opaque «_aux_Init_Notation___macroRules_term_∉__1» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_==_» : Lean.TrailingParserDescr
@[extern "native", macro «term_==_»] opaque «_aux_Init_Notation___macroRules_term_==__1» : Lean.Macro
@[extern "native", macro «term_==_»] opaque «_aux_Init_Notation___macroRules_term_==__2» : Lean.Macro
@[extern "native", term_parser 1000] opaque «term_<|_» : Lean.TrailingParserDescr
@[extern "native", macro «term_<|_»] opaque «_aux_Init_Notation___macroRules_term_<|__1» : Lean.Macro
@[extern "native"] opaque Lean.explicitBinders : Lean.ParserDescr
@[extern "native"] opaque Lean.binderIdent : Lean.ParserDescr
@[extern "native"] opaque Lean.unbracketedExplicitBinders : Lean.ParserDescr
@[extern "native"] opaque Lean.bracketedExplicitBinders : Lean.ParserDescr
@[extern "native", command_parser 1000] opaque Lean.reduceCmd : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.allGoals : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.apply : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.applyRfl : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.assumption : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.case : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.cases : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.clear : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.constructor : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.contradiction : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.decide : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.eqRefl : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.exact : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.first : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.generalize : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.induction : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.intro : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.intros : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.left : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.paren : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.refine : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.rename : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.renameI : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.repeat' : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.revert : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.rewriteSeq : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.right : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.rwSeq : Lean.ParserDescr
@[extern "native", macro Lean.Parser.Tactic.rwSeq] opaque Lean.Parser.Tactic._aux_Init_Tactics___macroRules_Lean_Parser_Tactic_rwSeq_1 : Lean.Macro
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.show : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.skip : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.specialize : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.subst : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.«tactic_<;>_» : Lean.TrailingParserDescr
@[extern "native", macro Lean.Parser.Tactic.«tactic_<;>_»] opaque Lean.Parser.Tactic.«_aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tactic_<;>__1» : Lean.Macro
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.tacticExfalso : Lean.ParserDescr
@[extern "native", macro Lean.Parser.Tactic.tacticExfalso] opaque Lean.Parser.Tactic._aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticExfalso_1 : Lean.Macro
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.tacticHave__ : Lean.ParserDescr
@[extern "native", macro Lean.Parser.Tactic.tacticHave__] opaque Lean.Parser.Tactic._aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticHave___1 : Lean.Macro
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.tacticRefine_lift_ : Lean.ParserDescr
@[extern "native", macro Lean.Parser.Tactic.tacticRefine_lift_] opaque Lean.Parser.Tactic._aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRefine_lift__1 : Lean.Macro
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.tacticRepeat_ : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.tacticRfl : Lean.ParserDescr
@[extern "native", macro Lean.Parser.Tactic.tacticRfl] opaque Lean.Parser.Tactic._aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRfl_1 : Lean.Macro
@[extern "native", macro Lean.Parser.Tactic.tacticRfl] opaque _aux_Init_Core___macroRules_Lean_Parser_Tactic_tacticRfl_1 : Lean.Macro
@[extern "native", macro Lean.Parser.Tactic.tacticRfl] opaque Lean.Parser.Tactic._aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRfl_2 : Lean.Macro
@[extern "native", macro Lean.Parser.Tactic.tacticRfl] opaque Lean.Parser.Tactic._aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRfl_3 : Lean.Macro
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.tacticTry_ : Lean.ParserDescr
@[extern "native", macro Lean.Parser.Tactic.tacticTry_] opaque Lean.Parser.Tactic._aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticTry__1 : Lean.Macro
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.unfold : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.Parser.Tactic.withReducible : Lean.ParserDescr
@[extern "native", tactic_parser 1000] opaque Lean.cdot : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.location : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.locationHyp : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.locationType : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.locationWildcard : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.rwRule : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.rwRuleSeq : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.config : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.optConfig : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.configItem : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.posConfigItem : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.negConfigItem : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.valConfigItem : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.elimTarget : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.inductionAlts : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.inductionAlt : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.inductionAltLHS : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.caseArg : Lean.ParserDescr
@[extern "native"] opaque Lean.Parser.Tactic.generalizeArg : Lean.ParserDescr
@[extern "native"] opaque Lean.cdotTk : Lean.ParserDescr
