"""Questions of forms with the kind of their answers, titles, headings and instructions."""
# ruff: noqa: E501, SIM905 (lists of words)

from __future__ import annotations

# Kind of answer: its questions. Kinds are those of form_facts.ANSWERS.
_QUESTIONS = {
    "en": """
name: Name|Full name|Applicant|Name of applicant|Contact|Contact person|Requested by|Approved by|Prepared by|Submitted by|Reviewed by|Authorized by|From|To|Attention|Attn|cc|Employee name|Patient name|Name of insured|Supervisor|Manager|Investigator|Sender|Recipient|Owner|Purchaser|Student|Guardian|Emergency contact|Physician|Reported by|Project leader|Account manager|Originator|Signed|Witness|Checked by|Received by|Sales representative|Instructor|Interviewer|Technician|Sponsor|Analyst|Buyer|Customer name|Responsible|Copies to|Distribution|Initiator|Coordinator|Last name|First name|Print name|Title and name|Claimant|Attorney|Caller|Driver|Guest name|Chairperson|Inspector
date: Date|Date of birth|Date submitted|Date received|Date required|Start date|End date|Effective date|Date approved|Due date|Date of issue|Date of test|Date of visit|Revision date|Hire date|Date completed|Order date|Expected completion|Target date|Period ending|Date of accident|Report date|Shipping date|Delivery date|Launch date|Expiration date|Date prepared|Meeting date|Date sampled|Closing date|Review date|Date typed|Departure|Return date|Filing date|Birth date|From date|Date needed|Interview date
phone: Telephone|Phone|Phone number|Fax|Fax number|Tel. no.|Home phone|Work phone|Telephone number|Mobile|Facsimile no.|Daytime phone|Extension|Fax no.|Office phone
company: Company|Company name|Firm|Organization|Employer|Supplier|Vendor|Client|Customer|Agency|Manufacturer|Name of business|Institution|Insurance carrier|Department|Laboratory|Contractor|Account|Store name|Chain|Distributor|Bank|School|Hospital|Affiliation|Publisher|Carrier|Name of firm|Licensee
address: Address|Street address|Mailing address|Home address|Ship to|Bill to|Business address|Residence|Delivery address|Location|Address of property|Return to|Send to
city: City|Place of birth|Town|Destination|Site|Area|Region|Territory|Market|County|Branch|District|Division|Place|Origin|Venue
state: State|Country|Province|State of residence|Nationality
code: Project no.|Number|Account number|Order no.|Case number|Policy number|Reference|File no.|Invoice no.|Serial number|Job number|Part no.|Code|Item no.|Sample no.|Lot number|Batch no.|Contract no.|Social security no.|License no.|Tax ID|Employee ID|Claim no.|Purchase order|Requisition no.|Form no.|Permit no.|Model|Notebook page|Room|Study no.|Patient no.|Cost center|Ref.|ID number|Charge code|Control no.|Report number|Specification no.|Zip code|Postal code|Vehicle ID|Plate number|Docket no.
money: Amount|Total cost|Total|Budget|Estimated cost|Price|Amount requested|Balance|Salary|Fee|Monthly income|Annual salary|Deposit|Value|Unit price|Cost|Net amount|Previous balance|Amount paid|Premium|Rent|Current year|Prior year|Commitment|Coupon value|Expenses|Authorized amount|Advance|Cost per unit|Refund|Total expenditures|Face value|Gross pay|Deductions|Taxable income|Tax due|Interest
number: Quantity|Number of pages|Age|Pages|No. of copies|Units|Number of employees|Weight|Height|Length|Width|Volume|Size|Total number|Number of units|Sample size|Number of children|Circulation|Hours|Years employed|Capacity|Temperature|Count|Pieces|Number of guests|Sets|Distance|Mileage|Pulse|Moisture|Thickness|Number of stores|Circumference|Density|Score|Diameter|Frequency|Dose|Rods|Samples|Replicates|Pages sent|Seats|Number of packs
percent: Percent|Percentage|Rate|Share|Growth|Discount|Response rate|Yield|% of total|Tax rate|Coverage|Success rate|Distribution %|Rate of return
text: Subject|Re|Title|Project title|Description|Position|Occupation|Purpose|Product|Brand|Type|Job title|Material|Method|Reason|Condition|Event|Media|Status|Color|Format|Style|Category|Test|Program|Instrument|Model name|Item|Equipment|Class|Topic|Course|Diagnosis|Allergies|Terms|Shipping method|Relationship|Species|Priority|Shift|Product name|Packaging|Product type|Display|Name of event|Theme|Treatment|Ship via|Route|Solvent|Blend|Nature of business|Publication|Size and color|Type of request|Grade|Filter type|Source|Position title|Program name|Strain|Property|Vehicle|Variety|Make|Flavor
long: Comments|Remarks|Description of work|Reason for request|Objective|Background|Special instructions|Additional information|Results|Conclusions|Summary|Recommendations|Explanation|Notes|Nature of complaint|Describe the problem|Action taken|Purpose of study|Message|Justification|Scope|Procedure|Medical history|Goals|Work experience|Scope of work|Method of application|Details|Findings|Rationale|Proposal|Suggestions|Other comments|Benefits|How was it resolved?|Action requested|Test design|Current situation|Education|Key findings|Materials required|Competition
time: Time|Hour|Time in|Time out|Start time|Time of call|Time sent|Departure time
email: E-mail|E-mail address|Email|Web site
""",
    "de": """
name: Name|Vorname|Nachname|Antragsteller|Ansprechpartner|Bearbeiter|Sachbearbeiter|Vor- und Zuname|Name des Kindes|Kontoinhaber|Versicherte Person|Empfänger|Absender|Verantwortlich|Geprüft von|Mitarbeiter|Erziehungsberechtigte|Arzt|Familienname|Geburtsname
date: Datum|Geburtsdatum|Eintrittsdatum|Beginn|Ende|Gültig ab|Fällig am|Liefertermin|Eingangsdatum|Bestelldatum|Kündigung zum|Ausgestellt am|geboren am
phone: Telefon|Telefonnummer|Fax|Mobil|Tel. privat|Rufnummer
company: Firma|Arbeitgeber|Krankenkasse|Bank|Kreditinstitut|Schule|Lieferant|Verein|Unternehmen|Behörde|Versicherung
address: Anschrift|Straße und Hausnummer|Adresse|Wohnort|Lieferanschrift|Rechnungsanschrift
city: Ort|Geburtsort|Abteilung|Standort|Kreis|Gemeinde|PLZ, Ort
state: Land|Staatsangehörigkeit|Bundesland
code: Kundennummer|Personalnummer|Aktenzeichen|Steuernummer|Vertragsnummer|Versicherungsnummer|Bestellnummer|Kennzeichen|IBAN|Postleitzahl|Kostenstelle|Artikelnummer|Zählernummer|Mitgliedsnummer
money: Betrag|Gesamtbetrag|Kosten|Miete|Einkommen|Preis|Gebühr|Beitrag|Summe|Bruttolohn|Einnahmen|Ausgaben
number: Anzahl|Menge|Alter|Seitenzahl|Stunden|Gewicht|Größe|Wohnfläche|Zählerstand|Anzahl der Kinder|Stück
percent: Anteil|Steuersatz|Prozentsatz
text: Betreff|Beruf|Bezeichnung|Grund|Zweck|Art der Leistung|Position|Produkt|Familienstand|Religion|Studiengang|Tarif|Material|Farbe|Geschlecht|Fachrichtung|Steuerklasse
long: Bemerkungen|Begründung|Beschreibung|Sonstiges|Mitteilung|Ergebnis|Besonderheiten|Weitere Angaben|Schadenshergang|Anmerkungen
time: Uhrzeit|Beginn|Zeit|Abfahrt
email: E-Mail|E-Mail-Adresse
""",
    "fr": """
name: Nom|Prénom|Nom et prénom|Demandeur|Responsable|Nom du titulaire|Destinataire|Expéditeur|Nom de naissance|Conjoint|Médecin|Représentant légal|Nom d'usage|Contact
date: Date|Date de naissance|Date de début|Date de fin|Date d'entrée|Fait le|Date de livraison|Date de la demande|Échéance
phone: Téléphone|Tél.|Portable|Fax|Télécopie
company: Société|Employeur|Entreprise|Banque|Organisme|École|Fournisseur|Raison sociale|Association
address: Adresse|Adresse postale|Domicile|Adresse de livraison
city: Ville|Lieu de naissance|Commune|Service|Lieu|Département
state: Pays|Nationalité
code: N° de client|Numéro de dossier|N° SIRET|N° de sécurité sociale|Code postal|Référence|N° de contrat|Matricule|Immatriculation|N° de commande
money: Montant|Total|Prix|Loyer|Revenu|Salaire|Frais|Montant demandé|Cotisation
number: Nombre|Quantité|Âge|Nombre de pages|Nombre d'enfants|Heures|Surface|Poids|Taille
percent: Taux|Pourcentage
text: Objet|Profession|Désignation|Motif|Situation familiale|Fonction|Produit|Type|Nature|Qualité|Diplôme|Sexe
long: Observations|Commentaires|Remarques|Description|Précisions|Motif de la demande|Message|Autres informations
time: Heure|Horaire
email: E-mail|Courriel|Adresse électronique
""",
    "es": """
name: Nombre|Apellidos|Nombre y apellidos|Solicitante|Responsable|Titular|Remitente|Destinatario|Representante|Médico|Paciente|Contacto
date: Fecha|Fecha de nacimiento|Fecha de inicio|Fecha de solicitud|Fecha de entrega|Vencimiento|Fecha de alta
phone: Teléfono|Tel.|Móvil|Fax
company: Empresa|Entidad|Banco|Razón social|Centro|Proveedor|Compañía
address: Dirección|Domicilio|Calle y número
city: Ciudad|Localidad|Municipio|Provincia|Lugar de nacimiento|Departamento
state: País|Nacionalidad
code: N.º de cliente|DNI|NIF|Código postal|N.º de expediente|Referencia|N.º de póliza|Matrícula|N.º de pedido|Cuenta
money: Importe|Total|Precio|Cuota|Salario|Ingresos|Coste
number: Cantidad|Edad|Número de páginas|Horas|Peso|Superficie|Número de hijos
percent: Porcentaje|Tipo
text: Asunto|Profesión|Descripción|Motivo|Estado civil|Cargo|Producto|Tipo|Sexo
long: Observaciones|Comentarios|Descripción de los hechos|Otros datos|Mensaje
time: Hora
email: Correo electrónico|E-mail
""",
    "it": """
name: Nome|Cognome|Nome e cognome|Richiedente|Responsabile|Intestatario|Destinatario|Mittente|Il sottoscritto|Medico
date: Data|Data di nascita|Data di inizio|Nato il|Scadenza|Data richiesta
phone: Telefono|Tel.|Cellulare|Fax
company: Azienda|Ditta|Ragione sociale|Banca|Ente|Fornitore|Datore di lavoro
address: Indirizzo|Via|Residenza
city: Città|Comune|Luogo di nascita|Provincia|Reparto
state: Stato|Nazionalità|Cittadinanza
code: Codice fiscale|Partita IVA|CAP|N. pratica|Riferimento|Codice cliente|Targa|N. ordine
money: Importo|Totale|Prezzo|Quota|Stipendio|Reddito
number: Quantità|Età|Numero di pagine|Ore|Peso|Superficie
percent: Percentuale|Aliquota
text: Oggetto|Professione|Descrizione|Motivo|Stato civile|Qualifica|Prodotto|Sesso
long: Note|Osservazioni|Commenti|Descrizione|Altre informazioni
time: Ora|Orario
email: E-mail|PEC
""",
    "nl": """
name: Naam|Voornaam|Achternaam|Aanvrager|Contactpersoon|Afzender|Ontvanger|Verantwoordelijke|Naam en voorletters
date: Datum|Geboortedatum|Begindatum|Einddatum|Datum aanvraag|Leverdatum
phone: Telefoon|Telefoonnummer|Mobiel|Fax
company: Bedrijf|Werkgever|Bank|Organisatie|School|Leverancier
address: Adres|Straat en huisnummer|Woonadres
city: Plaats|Woonplaats|Geboorteplaats|Gemeente|Afdeling
state: Land|Nationaliteit
code: Klantnummer|Postcode|Dossiernummer|BSN|Kenteken|Polisnummer|Ordernummer|Kenmerk
money: Bedrag|Totaal|Prijs|Huur|Inkomen|Kosten
number: Aantal|Leeftijd|Aantal pagina's|Uren|Gewicht
percent: Percentage
text: Onderwerp|Beroep|Omschrijving|Reden|Functie|Product|Burgerlijke staat|Geslacht
long: Opmerkingen|Toelichting|Bijzonderheden|Bericht
time: Tijd
email: E-mail|E-mailadres
""",
    "pt": """
name: Nome|Nome completo|Apelido|Requerente|Responsável|Destinatário|Remetente|Titular|Nome do cliente
date: Data|Data de nascimento|Data de início|Data do pedido|Validade
phone: Telefone|Telemóvel|Fax|Tel.
company: Empresa|Entidade|Banco|Fornecedor|Escola
address: Morada|Endereço|Residência
city: Cidade|Localidade|Concelho|Naturalidade|Serviço
state: País|Nacionalidade|Estado
code: NIF|CPF|Código postal|N.º de processo|Referência|N.º de cliente|Matrícula
money: Valor|Total|Preço|Montante|Salário
number: Quantidade|Idade|N.º de páginas|Horas|Peso
percent: Percentagem|Taxa
text: Assunto|Profissão|Descrição|Motivo|Cargo|Produto|Estado civil
long: Observações|Comentários|Mensagem|Outras informações
time: Hora
email: E-mail|Correio eletrónico
""",
    "pl": """
name: Imię|Nazwisko|Imię i nazwisko|Wnioskodawca|Osoba kontaktowa|Nadawca|Odbiorca|Pracownik|Kierownik
date: Data|Data urodzenia|Data złożenia|Termin|Data rozpoczęcia|Data wydania
phone: Telefon|Nr telefonu|Faks|Tel. kom.
company: Firma|Nazwa firmy|Pracodawca|Bank|Instytucja|Dostawca
address: Adres|Ulica i numer|Adres zamieszkania
city: Miejscowość|Miasto|Miejsce urodzenia|Gmina|Dział
state: Kraj|Obywatelstwo
code: PESEL|NIP|Kod pocztowy|Nr umowy|Nr sprawy|Nr klienta|Nr rejestracyjny|Znak sprawy
money: Kwota|Razem|Cena|Opłata|Wynagrodzenie|Dochód
number: Ilość|Wiek|Liczba stron|Godziny|Waga|Powierzchnia
percent: Procent|Stawka
text: Temat|Zawód|Opis|Powód|Stanowisko|Produkt|Stan cywilny
long: Uwagi|Uzasadnienie|Opis zdarzenia|Dodatkowe informacje
time: Godzina
email: E-mail|Adres e-mail
""",
}


def _parse(text: str) -> dict[str, tuple[str, ...]]:
    rows = (line.split(": ", 1) for line in text.strip().split("\n"))
    return {kind: tuple(words.split("|")) for kind, words in rows}


QUESTIONS = {lang: _parse(text) for lang, text in _QUESTIONS.items()}

_WORDS = {
    "en": """
title: Application form|Purchase requisition|Project request|Registration form|Expense report|Fax cover sheet|Memorandum|Test report|Patient information|Order form|Survey|Questionnaire|Claim form|Employment application|Budget authorization|Change request|Sample request form|Travel request|Inspection report|Authorization form|Weekly report|Shipping notice|Product evaluation|Membership application|Time sheet|Market research proposal|Complaint report|Invoice approval|Telefax|Facsimile transmission|Laboratory data sheet|Contract summary|Event request|Study protocol|Credit application|Notice of change|Work order|Vehicle inspection|Incident report|Evaluation form|Medical history|Loan application|Statement of account|Material specification|Media schedule|Consent form|Subscription form|Field report|Progress report|Request for leave|Reservation form|Declaration of income|Return of goods
section: General information|Personal data|Contact details|Payment|Signatures|Approvals|Office use only|For internal use|Project information|Employment|Education|Medical information|References|Test results|Costs|Schedule|Items requested|Part A|Part B|Section 1|Section 2|Physical properties|Product information|Attachments|Insurance|Financial data|Household|Emergency|Materials|Specifications|Customer|Delivery|Billing|Budget|Competitive activity|Requirements|Sample identification|Analysis|Travel|Certification|Authorization|Declaration|Part C|Storage conditions|Dependents|Type of request
note: Please print or type.|Complete all items and return this form to the office named above.|Attach additional sheets if necessary.|Do not write below this line.|See the instructions on the back.|This transmission is intended only for the person named above and may be confidential.|If you do not receive all pages, please call us as soon as possible.|I certify that the above statements are true to the best of my knowledge.|Use black ink.|Keep one copy for your records.|Check one box only.|Incomplete forms are going to be returned.|White copy: accounting. Yellow copy: requester.|All prices are without tax.|The information is used for statistics alone.|Please allow two weeks for handling.|Answer every question.|Values are means of three determinations.|By signing you agree to the terms overleaf.|Enter amounts in whole dollars.|Submit in duplicate.|Not valid without signature.
group: Sex|Marital status|Type|Status|Payment by|Priority|Category|Ship via|Approved|Member|Smoker|First visit|Type of account|Reason|Size|Check one|Attachments|Urgency|Insurance|Citizen|Repeat order|Method|Type of change|How often|Overall rating|Preferred contact|Frequency|Storage|Class
option: Yes|No|Male|Female|Single|Married|New|Renewal|Cash|Check|Credit card|Mail|Phone|Other|Urgent|Normal|Full time|Part time|Small|Medium|Large|Daily|Weekly|Monthly|Approved|Rejected|Excellent|Good|Fair|Poor|Never|Sometimes|Always|Permanent|Temporary|N/A|Divorced|Visa|Air freight|Truck|Home|Office|Agree|Disagree|Original|Revised|Adult|Child|Regular|None|Refrigerate|Dry place|Open|Closed|Draft|Final
column: Item|Description|Quantity|Unit price|Amount|Date|Name|Code|Total|Weight|Size|Hours|Rate|Remarks|Brand|Test|Result|Sample|Store|Region|Market|Cost|Type|Number|Unit|Percent|Age|Year|Week|Product|Location|Budget|Actual|Variance|Mean|Limit|Method|City|Approved|Title|Initials|Spec|Min.|Max.|Account|Qty.|Balance
row: Total|Salaries|Travel|Supplies|Equipment|Rent|Postage|Sample A|Sample B|Control|North|South|East|West|Monday|Tuesday|Wednesday|Thursday|Friday|January|February|March|April|May|June|Printing|Advertising|Labor|Materials|Freight|Tax|Male|Female|Average|Group 1|Group 2|Week 1|Week 2|Nicotine|Water|Sugar|Protein|Insurance|Other|Balance|Year to date|pH|Ash|Weight|Length|Subtotal|Postings|Week 3|Group 3|Displays|Coupons|Telephone|Meals|Lodging|Mileage
word: Regular|Filter|Standard|Outdoor|Market study|Field test|Newspaper|Sales promotion|Steel|Cotton|Paper|Blue|Red|Engineer|Clerk|Nurse|Manager|Annual meeting|Pending|Complete|Routine|Chemical analysis|Consumer test|Retail audit|New product|Repair|Training course|Computer|Software|Furniture|Express|Overnight|Plastic bottle|Cardboard box|Laboratory|Cosmetics|Cereal|Detergent|Coffee|Soft drink|Radio|Television|Magazine|Direct mail|Contest|Coupon|Sweepstakes|Rabbit|Mouse|Ethanol|Acetone|Mint|Vanilla|Orange|Golf tournament|Concert|Trade show|Conference|Budget review|Quarterly results|Contract renewal|Price change|Sample shipment|Technical data|Legal opinion|Interview|Vacation|Sick leave|Penicillin|None|Asthma|Headache|Sedan|Truck|Spouse|Brother|Biology|Accounting
""",
    "de": """
title: Antrag|Anmeldung|Bestellformular|Fragebogen|Schadensmeldung|Reisekostenabrechnung|Kündigung|Aufnahmeantrag|Stundenzettel|Lieferschein|Prüfprotokoll|Patientenaufnahme|Telefax|Einzugsermächtigung|Bescheinigung|Wohngeldantrag|Meldebogen|Steuererklärung
section: Angaben zur Person|Bankverbindung|Allgemeine Angaben|Kontakt|Nur vom Amt auszufüllen|Unterschrift|Arbeitgeber|Versicherung|Kosten|Teil A|Teil B|Anlagen|Zahlung|Lieferung|Ehegatte|Kinder|Einkünfte|Wohnung
note: Bitte in Druckschrift ausfüllen.|Zutreffendes bitte ankreuzen.|Hinweise auf der Rückseite beachten.|Ich versichere die Richtigkeit meiner Angaben.|Bitte Kopie beifügen.|Nicht ausgefüllte Felder bitte streichen.|Ohne Unterschrift nicht gültig.
group: Geschlecht|Familienstand|Zahlungsart|Anrede|Versandart|Status|Raucher|Mitglied
option: ja|nein|männlich|weiblich|ledig|verheiratet|geschieden|Herr|Frau|bar|Überweisung|Lastschrift|Neuantrag|Änderung|Vollzeit|Teilzeit|monatlich|jährlich|sonstiges
column: Pos.|Bezeichnung|Menge|Preis|Betrag|Datum|Name|Stunden|Ort|Bemerkung|Einheit|Ergebnis|Nr.
row: Summe|Fahrtkosten|Übernachtung|Verpflegung|Material|Montag|Dienstag|Mittwoch|Januar|Februar|Miete|Strom|Wasser|Gesamt|Probe 1|Probe 2
word: Angestellter|Kaufmann|Ingenieur|ledig|verheiratet|Umzug|Neuanschaffung|Reparatur|Schulung|Standard|Holz|blau|weiblich|Informatik|Vollzeit|Haftpflicht|Auto|Mietwohnung
""",
    "fr": """
title: Formulaire de demande|Bulletin d'inscription|Bon de commande|Questionnaire|Déclaration de sinistre|Note de frais|Fiche de renseignements|Attestation|Télécopie|Compte rendu|Fiche patient|Demande de congé|Bulletin d'adhésion|Avis d'imposition
section: État civil|Coordonnées|Informations générales|Paiement|Réservé à l'administration|Signature|Employeur|Pièces jointes|Situation professionnelle|Partie A|Partie B|Ressources|Livraison
note: Écrire en majuscules.|Cocher la case correspondante.|Joindre une copie de la pièce d'identité.|Je certifie l'exactitude des renseignements fournis.|Voir la notice au verso.|Tout dossier incomplet est renvoyé.
group: Sexe|Situation de famille|Mode de paiement|Civilité|Statut|Type de demande
option: oui|non|masculin|féminin|célibataire|marié(e)|M.|Mme|chèque|virement|espèces|mensuel|annuel|autre|temps plein
column: Désignation|Quantité|Prix|Montant|Date|Nom|Heures|Lieu|Observations|N°|Total
row: Total|Transport|Hébergement|Repas|Fournitures|Lundi|Mardi|Mercredi|Janvier|Février|Loyer|Échantillon 1|Divers
word: employé|cadre|étudiant|célibataire|marié|déménagement|achat|réparation|formation|standard|bois|bleu|professeur|assurance|voiture|retraité
""",
    "es": """
title: Solicitud|Hoja de inscripción|Hoja de pedido|Cuestionario|Parte de accidente|Nota de gastos|Ficha de datos|Certificado|Declaración|Informe|Ficha del paciente
section: Datos personales|Datos de contacto|Información general|Pago|A rellenar por la administración|Firma|Empresa|Documentos adjuntos|Parte A|Parte B|Datos bancarios
note: Escriba en mayúsculas.|Marque con una X.|Adjunte copia del documento.|Declaro que los datos son ciertos.|Véanse las instrucciones al dorso.
group: Sexo|Estado civil|Forma de pago|Tipo|Situación
option: sí|no|hombre|mujer|soltero|casado|efectivo|transferencia|mensual|anual|otro|nuevo
column: Concepto|Cantidad|Precio|Importe|Fecha|Nombre|Horas|Lugar|Observaciones|N.º
row: Total|Transporte|Alojamiento|Dietas|Material|Lunes|Martes|Enero|Febrero|Muestra 1
word: empleado|estudiante|soltero|casado|mudanza|compra|reparación|formación|madera|azul|seguro|coche|autónomo
""",
}
WORDS = {lang: _parse(text) for lang, text in _WORDS.items()}

# Openings of questions that are whole sentences, in forms of inquiry and of law.
SENTENCES = {
    "en": "Have you ever {w}?|How many {w} were {w}?|What is the {w} of the {w}?|Describe the {w} and the {w} {w} that {w}|If yes, please explain {w} {w}|List all {w} with {w} {w}|Please rate the {w} {w} on a scale of 1 to 10|Did the {w} {w} during the last year?|Reason for {w} {w} (attach {w})|State the {w} of each {w} and whether {w} was {w}|Who is responsible for {w}?|Is {w} {w} required by {w}?|Does your {w} have a {w} {w}?|Number of {w} in the {w}|Which {w} do you prefer and why?|When did you last {w}?|Would you {w} this {w} again?|Name and address of {w} {w}|Other {w} (please specify)|Do you agree that {w} {w} should {w}?".split(
        "|"
    ),
    "de": "Haben Sie {w} {w}?|Wie viele {w} gibt es?|Falls ja, welche {w}?|Seit wann {w} Sie {w}?|Grund für {w} {w}|Name und Anschrift {w} {w}|Wer hat {w} {w}?".split(
        "|"
    ),
    "fr": "Avez-vous {w} {w} ?|Combien de {w} ?|Si oui, lesquels {w} ?|Depuis quand {w} ?|Nom et adresse du {w} {w}|Précisez {w} {w}".split(
        "|"
    ),
    "es": "¿Ha {w} {w}?|¿Cuántos {w} hay?|En caso afirmativo, indique {w}|¿Desde cuándo {w}?|Nombre y dirección del {w} {w}".split(
        "|"
    ),
}
# English questions made of a noun {n}, a participle {v} and a modifier {m}, by kind of answer.
COMPOUNDS = {
    kind: tuple(patterns.split("|"))
    for kind, patterns in (
        line.split(": ")
        for line in """
date: Date {v}|Date of {n}|{n} date|{v} on|Date {n} {v}|{m} {n} date|{n} due
name: {v} by|{n} {v} by|{n} manager|Name of {n}|{n} contact|{m} {n} by|{n} officer
code: {n} no.|{n} number|{n} code|{n} #|{n} ID|{m} {n} no.|{n}/{n} no.
money: {n} cost|Cost of {n}|Total {n}|{m} {n} cost|{n} price|{n} expense|{m} {n}|$ {n}|{n} budget
number: No. of {n}s|Number of {n}s|# {n}s|{n} quantity|{m} {n}|{n} size|{n} weight|{n}s {v}|Total {n}s
text: {n} type|Type of {n}|{n} name|{n} description|{m} {n}|{n} used|{n}|{n} {n}|{n}/{n}|{n} and {n}|Kind of {n}
long: Reason for {n}|Description of {n}|{n} comments|{n} requirements|{m} {n} and {n}|{n}s {v}|Use of {n}
company: {n} supplier|{n} company|Name of {n}|{v} from|{n} agency
city: {n} location|Place of {n}|{v} at|{n} office
percent: % {n}|{n} rate|{n} share|{n} %
""".strip().split("\n")
    )
}
PARTICIPLES = "received|issued|requested|shipped|ordered|tested|submitted|prepared|completed|reviewed|mailed|sold|used|returned|cancelled|posted|released|required|recorded|measured|inspected|delivered|assigned|opened|sent|paid|manufactured|started".split(
    "|"
)
MODIFIERS = "Total|Estimated|Actual|Previous|Current|Requested|Approved|Original|Net|Gross|Average|Annual|Daily|Proposed|Initial|Final|Maximum|Minimum|Planned|Additional|Other|Local|Primary|Second|New|Projected|Special|Authorized|Recommended".split(
    "|"
)
NOUNS = "coupon|promotion|region|representative|storage|shipping|filter|chemical|physical|media|store|employee|vehicle|insurance|policy|contract|event|document|study|tax|research|manager|equipment|training|committee|approval|specification|analysis|request|report|plan|target|schedule|type|name|description|cost|amount|budget|quantity|weight|volume|rate|price|length|area|period|product|supplier|sample|department|account|source|market|period covered|material|design|package|code|brand|time|location|unit|level|use|method|number|balance|production|purchase|shipment|display|test|program|item".split(
    "|"
)
