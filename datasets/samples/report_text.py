"""Texts, tables and figures of the report."""

from __future__ import annotations

import re

from docpipe.datasets.samples.flow import TableCell
from docpipe.datasets.samples.typeset import SOFT_HYPHEN, Align

# Where long words of the text may break.
_WORDS = """
com-mis-sioned com-pli-ance con-sump-tion con-trac-tors con-nec-tions cus-tomers de-tec-tion
dis-in-fec-tion dis-trib-u-tion dis-trict en-gi-neers es-ti-mated fail-ures house-holds
im-prove-ment in-creased in-fra-struc-ture in-spec-tion in-vest-ment lab-o-ra-tory leak-age
main-te-nance man-age-ment me-ters net-work op-er-a-tion per-for-mance pop-u-la-tion pres-sure
pro-gramme reg-u-la-tor re-mained re-newal re-place-ment res-er-voir sam-pling sea-sonal
ac-ci-dents af-fected cor-roded dif-fer-ence elec-tric-ity em-ploy-ees es-caping hos-pi-tals
in-ter-rup-tion kilo-metres munic-i-pal-i-ties neigh-bour pa-ram-e-ters re-cover re-gion
re-paired se-cured tur-bines ve-hi-cles vo-ca-tional wa-ter
sum-mer sup-plied sup-ply tem-per-a-ture treat-ment tur-bid-ity un-der-ground ul-tra-vi-o-let
"""
_BREAKS = {word.replace("-", ""): word.replace("-", SOFT_HYPHEN) for word in _WORDS.split()}

ABSTRACT = """In 2024 Lindmoor Water supplied 31.9 million cubic metres of drinking water to 412,600
people. Of 4,368 samples taken at customers' taps, 99.82% met every limit. Leakage fell from 13.1%
to 11.4% of the water put into supply, the lowest value since records began in 1998, and bursts
fell to 10.9 per 100 km of main. We invested €14.2 million, most of it in the renewal of the trunk
main in the Harbour district."""

ABOUT = [
    """Lindmoor Water is owned by the four municipalities of the Lindmoor valley. It draws two
    thirds of its water from the springs at Aldercombe and one third from the river Senn, which is
    treated at the Valley works. From there 2,914 km of mains lead to 168,400 connections. The
    network is divided into four districts, North, Harbour, Valley and Hill, each of which has its
    own reservoir and can be supplied from a neighbour during maintenance.""",
    """The company employs 271 people. In March 2024 the laboratory moved from the old pumping
    station in Mill Street to new rooms at the Valley works, where it also tests samples for nine
    smaller suppliers of the region.""",
]
QUALITY = [
    """Our inspectors take samples at taps in households, schools and hospitals, on days that the
    regulator draws by lot. Each sample is tested for up to 48 parameters, from turbidity and
    temperature to metals and germs. A sample counts as a failure when a single parameter is above
    its limit.^1""",
    """Table 1 shows the results by district. Eight samples failed, five of them in the Harbour
    district, where the oldest iron mains lie.""",
]
REMEDIES = [
    """Six of the eight failures were caused by iron from corroded pipes, which colours the water
    but is harmless at the levels found. The affected mains were flushed within two days and are
    now part of the renewal programme. Two samples in the North district contained coliform germs.
    In both cases the cause was a garden hose connected without a check valve. All repeat samples
    were clean.""",
    """Since October 2024 an ultraviolet plant at the Valley works has taken the place of chlorine
    as the main step of disinfection. Chlorine remains ready as a reserve and is dosed only during
    work on the network.""",
]
BURSTS = [
    """During the year 318 bursts were repaired, 46 fewer than in 2023. As Figure 1 shows, the
    rate per 100 km of main has fallen every year since 2019.^2 Two causes stand out: mains laid
    before 1960 have been replaced first, and pressure management now lowers the pressure at night
    in 61 of 74 zones.""",
    """The average repair took 5 hours and 20 minutes from the first call to the restored supply.
    The longest interruption, on 9 February in Quay Road, lasted 19 hours because a gas main had
    to be secured before the contractors could dig.""",
]
LEAKAGE = [
    """Leakage is the difference between the water put into supply and the water that was metered
    at customers, less what was used for fire fighting and flushing. It is estimated for each
    district from the flow between two and four o'clock at night. Table 2 compares the two years.
    The largest improvement, from 15.5% to 12.9%, was made in the Harbour district after the
    first 11 km of the trunk main had been renewed.""",
    """Acoustic loggers were fitted to 1,150 hydrants. They listen for the sound of escaping water
    and report every morning. In their first nine months they led to the detection of 87 leaks that
    nobody had seen above ground.""",
]
DEMAND = [
    """Demand follows the seasons (Figure 2). It was highest in July with 94.6 megalitres a day
    and lowest in December with 81.9. The wet summer kept the peak 4.1 megalitres below that of
    the year before. Average consumption per person was 128 litres a day, down from 131.""",
    """On 30 July, the hottest day of the year, supply reached 108.2 megalitres. The reservoirs
    fell to 58% of their capacity but were full again after two nights.""",
]
INVESTMENT = [
    """Table 3 lists the four largest projects. All but the reservoir were finished within their
    budget; the roof of the Hill reservoir cost 0.2 million more than planned because the old
    beams contained asbestos.""",
    """Smart meters have been fitted to 38,000 connections. They report leaks inside the house
    after 24 hours of constant flow, which customers praised most in our survey.""",
]
CUSTOMERS = [
    """The service desk took 41,300 calls, a tenth fewer than in the year before. Nine out of ten
    were answered within a minute. In the yearly survey, 2,060 households gave us 8.3 of 10 points
    for water quality and 7.1 for information about road works, the lowest mark of all. We have
    therefore promised three things:""",
]
PROMISES = [
    "households are told of planned work at least five days before it begins;",
    "every site carries a board with the name and telephone number of the engineer in charge;",
    "an interruption of more than eight hours is repaid with €25 on the next bill.",
]
ENERGY = [
    """Pumping and treatment used 15.8 gigawatt hours of electricity, 0.50 kilowatt hours for each
    cubic metre supplied. Solar panels on the roof of the Valley works, in operation since May,
    produced 0.9 gigawatt hours or 5.7% of what was needed. Two turbines that recover energy where
    the springs enter the valley will be ordered in 2025 and are expected to add 1.4 gigawatt
    hours a year.""",
    """The spring flow at Aldercombe has been measured since 1961. The mean of the past ten years
    is 6% below the mean of the first thirty, and low flow now begins three weeks earlier, in the
    second half of June. The company has therefore begun to look for a third source. Test wells at
    Senn Bridge were drilled in September; their water is hard but free of nitrate.""",
    """Vehicles drove 1.02 million kilometres. Of 96 vans, 41 are electric. The rest will be
    replaced by 2028, with the exception of the four lorries of the emergency service.""",
]
STAFF = [
    """Of the 271 employees, 84 are women, and 23 people are in vocational training. There were
    seven accidents with more than three days of absence, two fewer than in 2023. None of them
    happened underground; four were falls on steps or from vehicles. All crews have since repeated
    the course in safe access to chambers and reservoirs.""",
]
OUTLOOK = [
    """For 2025 the board has approved an investment of €16.5 million. The second part of the
    Harbour main, 9 km long, will be renewed by November. Leakage shall fall below 10.5%, and the
    last 13 zones will receive pressure management. Tariffs remained unchanged for the fourth year
    and will rise by 2.4% in April 2025.""",
]
REFERENCES = [
    "[1] Lindmoor Water: Ten-year plan for mains renewal. Board paper 22/07, 2022.",
    "[2] Regional Office of Water: Rules for sampling at the tap. 3rd edition, 2021.",
]


def _cells(row: str, aligns: str) -> list[TableCell]:
    """A row written as "a; b; c", with an l or r for each column."""
    names: dict[str, Align] = {"l": "left", "r": "right"}
    return [
        TableCell(t.strip(), align=names[a]) for t, a in zip(row.split(";"), aligns, strict=True)
    ]


TABLE_1 = [
    _cells(row, "lrrr")
    for row in (
        "District; Samples; Failures; Met all limits",
        "North; 1,248; 2; 99.84%",
        "Harbour; 1,560; 5; 99.68%",
        "Valley; 936; 1; 99.89%",
        "Hill; 624; 0; 100.00%",
        "All; 4,368; 8; 99.82%",
    )
]
TABLE_2 = [
    [TableCell(""), TableCell("2023", 2, "center"), TableCell("2024", 2, "center"), TableCell("")],
    *(
        _cells(row, "lrrrrr")
        for row in (
            "District; Supplied (Ml/d); Lost (%); Supplied (Ml/d); Lost (%); Change (points)",
            "North; 24.1; 12.6; 23.8; 11.0; -1.6",
            "Harbour; 31.7; 15.5; 31.0; 12.9; -2.6",
            "Valley; 18.9; 11.8; 18.6; 10.7; -1.1",
            "Hill; 13.6; 10.1; 13.7; 9.6; -0.5",
            "All districts; 88.3; 13.1; 87.1; 11.4; -1.7",
        )
    ),
]
TABLE_3 = [
    _cells(row, "lrr")
    for row in (
        "Project; Cost (€ m); Finished",
        "Harbour trunk main, part 1; 6.4; August",
        "Ultraviolet plant, Valley works; 3.9; October",
        "Smart meters; 2.7; December",
        "Roof of the Hill reservoir; 1.2; May",
        "Total; 14.2; ",
    )
]
YEARS = ["2019", "2020", "2021", "2022", "2023", "2024"]
BURST_RATE = [14.8, 14.1, 13.9, 13.2, 12.5, 10.9]
MONTHS = list("JFMAMJJASOND")
DEMAND_SERIES = {
    "2023": [84.9, 84.6, 85.1, 86.0, 88.9, 95.2, 98.7, 96.1, 89.4, 85.8, 84.0, 83.1],
    "2024": [84.2, 83.8, 84.5, 85.6, 88.0, 92.3, 94.6, 93.7, 88.8, 85.1, 83.0, 81.9],
}
NOTES = [
    "1 The limits are those of the Drinking Water Order of 2018; they follow the advice of [2].",
    "2 A burst is any unplanned escape of more than 500 litres an hour from a main; leaks on "
    "service pipes are not counted.",
]


def hyphenated(text: str) -> str:
    """`text` on one line, with soft hyphens where its long words may break."""
    return re.sub(r"[A-Za-z]+", lambda word: _BREAKS.get(word[0], word[0]), " ".join(text.split()))
