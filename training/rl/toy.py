"""Made-up pages and questions, and a tiny language model that knows their words: enough to see a
reward rise within a minute, and to test on."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from docpipe.agents.mmdocr1.seeker import seeker_prompt
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.records import Document, TextPart
from docpipe.testing import FakeLibrary, sample_document
from docpipe.training.rl.env import DocEnv

PAGES = 6
_PLACES = ("mill", "harbour", "bakery", "school", "library", "market", "museum", "station")
_FACTS = (
    ("employs {} people", "How many people does the {} employ?"),
    ("has {} windows", "How many windows does the {} have?"),
    ("opened {} years ago", "How many years ago was the {} opened?"),
    ("owns {} carts", "How many carts does the {} own?"),
)
_END = "<end>"


def toy_questions(count: int, seed: int = 0) -> tuple[FakeLibrary, list[GoldQuestion]]:
    """A library of documents of PAGES pages, each page with a fact, and questions for them."""
    rng = random.Random(seed)
    documents: list[Document] = []
    questions: list[GoldQuestion] = []
    while len(questions) < count:
        id = f"{len(documents):016x}"
        places = rng.sample(_PLACES, PAGES)
        lines = []
        for page, place in enumerate(places, 1):
            said, asked = rng.choice(_FACTS)
            number = str(rng.randrange(2, 90))
            lines.append([f"The {place} {said.format(number)}."])
            questions.append(
                GoldQuestion(
                    id=f"{id}-{page}",
                    kind="toy",
                    question=asked.format(place),
                    answer=number,
                    format="Int",
                    how="quote",
                    documents=(id,),
                    pages=((id, page),),
                )
            )
        documents.append(sample_document(lines, id))
    return FakeLibrary(documents), questions[:count]


def toy_model(env: DocEnv, questions: Iterable[GoldQuestion], seed: int = 0) -> tuple[Any, Any]:
    """A random Llama of some 100,000 weights, and a tokenizer of the words of prompts, pages and
    the action grammar."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer(_texts(env, questions))
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=2048,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        pad_token_id=None,
        tie_word_embeddings=True,
    )
    return LlamaForCausalLM(config), tokenizer


def _texts(env: DocEnv, questions: Iterable[GoldQuestion]) -> list[str]:
    found = ['<search>["?"]</search>', "<read>[1, 2]</read>", "<FINISH>", "query score page asked"]
    for question in questions:
        state = env.reset(question)
        prompt = seeker_prompt(state, "chat", brief=True)
        found += [
            part.text for message in prompt for part in message.parts if isinstance(part, TextPart)
        ]
        found += [env.step('<search>["' + question.question + '"]</search>').step.observation]
    return found


def _tokenizer(texts: Iterable[str]) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=[_END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token=_END, pad_token=_END)
