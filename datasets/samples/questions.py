"""Questions about the samples, with answers that were written down when the texts were."""

from __future__ import annotations

from typing import NamedTuple


class SampleQuestion(NamedTuple):
    """`answer` None: the samples do not say. The answer stands on `page` (counted from 1), in the
    words of `shown` if that is given."""

    question: str
    answer: str | None
    document: str | None = None
    page: int | None = None
    shown: str | None = None


_Q = SampleQuestion
QUESTIONS: tuple[SampleQuestion, ...] = (
    _Q("How many people does Lindmoor Water supply?", "412,600", "report.pdf", 1),
    _Q(
        "What share of the water was lost in the Harbour district in 2024?",
        "12.9%",
        "report.pdf",
        2,
        "12.9",
    ),
    _Q("How many bursts per 100 km of main were there in 2021?", "13.9", "report.pdf", 1),
    _Q("How many samples were taken in the Valley district?", "936", "report.pdf", 1),
    _Q("What did the ultraviolet plant cost, in million euros?", "3.9", "report.pdf", 2),
    _Q("In which month of 2024 was the demand for water highest?", "July", "report.pdf", 2),
    _Q("How many of the vans of Lindmoor Water are electric?", "41", "report.pdf", 2),
    _Q("By how much will the water tariffs rise in April 2025?", "2.4%", "report.pdf", 3),
    _Q(
        "On which day will the heating in Ms Solheim's flat be replaced?",
        "14 May 2024",
        "letter.pdf",
        1,
    ),
    _Q("By how much is the rent of Ms Solheim reduced for May?", "€138.00", "letter.pdf", 1),
    _Q("What is the total of invoice 2024-0871?", "2,024.07", "invoice.pdf", 1),
    _Q("What does one filing cabinet cost?", "189.00", "invoice.pdf", 1),
    _Q(
        "How much is to be transferred if the invoice is paid within 10 days?",
        "1,983.59",
        "invoice.pdf",
        1,
    ),
    _Q("How much was paid at Greenleaf Market?", "27.69", "receipt.pdf", 1),
    _Q("What did the olive oil cost?", "8.95", "receipt.pdf", 1),
    _Q("Which district is the orchard project in?", "Harbour", "form.pdf", 1),
    _Q("What is the total cost of the orchard behind the library?", "4,850", "form.pdf", 1),
    _Q("What is the date of birth of Daniel Okafor?", "17 August 1986", "form.pdf", 1),
    _Q("Which battery does the Heron 300 need?", "LF-14", "manual.pdf", 26),
    _Q("With which torque are the clamps of the mast tightened?", "12 Nm", "manual.pdf", 11),
    _Q(
        "How long does the memory last with a logging interval of 10 minutes?",
        "400 days",
        "manual.pdf",
        18,
    ),
    _Q("Which colour has the wire at terminal 7?", "blue", "manual.pdf", 13),
    _Q("What does code E22 mean?", "The battery is too cold to be charged", "manual.pdf", 29),
    _Q(
        "How long must MENU and the left arrow be held to reset the station?",
        "eight seconds",
        "manual.pdf",
        16,
    ),
    _Q("Which access code do the settings have on delivery?", "0300", "manual.pdf", 19),
    _Q("How many months is the warranty of the Heron 300?", "36", "manual.pdf", 37),
    _Q("At what voltage does the station start again by itself?", "3.4 V", "manual.pdf", 17),
    _Q("At what speed does force 9 begin, in m/s?", "20.8", "manual.pdf", 34),
    _Q("What does the Heron 300 weather station cost?", None),
    _Q("Who is the managing director of Lindmoor Water?", None),
    _Q("Which bank does Greenleaf Market use?", None),
)
