"""A recogniser of crops that writes several tokens a step: prefix-adaptive block diffusion.

Paper: "PA-BDM" (arXiv 2605.16861 v1). Written from a description of it and of its released training
code. Docstrings mark what the paper states [P], what its code does [C], what is a reconstruction of
what neither shows [R], and what is a decision of docpipe's own [D]; no number marked [D] is the
paper's.
"""
